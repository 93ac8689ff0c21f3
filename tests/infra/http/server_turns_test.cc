// How a server's thread divides its time among connections.

#include <chrono>
#include <list>
#include <string>

#include <gmock/gmock.h>

#include "tests/infra/http/raw_client.h"
#include "tests/infra/http/serving.h"

namespace tilth {
namespace {

using testing::Eq;
using testing::Lt;

class ServerTurns : public Serving {
 protected:
  void start_with_one_worker() {
    ServerOptions options;
    options.workers = 1;
    options.on_rest = [this] { rests.change([](int& count) { ++count; }); };
    start(std::move(options));
  }

  static HttpResponse refusal() { return {429, {{"Retry-After", "1"}}, "too many"}; }

  static std::string repeated(const std::string& request, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += request;
    return all;
  }

  Watched<int> rests;
};

TEST_F(ServerTurns, ManyRequestsOfOneConnectionDoNotDelayAnother) {
  Watched<bool> released;
  int slow = 0, before_other = -1;  // the worker's
  handler.play = [&](const HttpRequest& request, auto&) {
    if (request.path == "/first") released.becomes([](bool now) { return now; });
    if (request.path == "/other") before_other = slow;
    if (request.path == "/slow") {
      ++slow;
      // Longer than a connection's turn.
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(300);
      while (std::chrono::steady_clock::now() < until) {
      }
    }
    return false;
  };
  start_with_one_worker();
  RawClient other(server->address()), many(server->address());
  EXPECT_THAT(other.ask(get("/")).status, Eq(200));
  many.send(get("/first") + repeated(get("/slow"), 60));
  other.send(get("/other"));
  released.change([](bool& now) { now = true; });
  EXPECT_THAT(other.receive().status, Eq(200));
  for (int i = 0; i < 61; ++i) EXPECT_THAT(many.receive().status, Eq(200));
  EXPECT_THAT(before_other, Lt(60));
}

TEST_F(ServerTurns, LargeResponsesArriveWholeInMoreThanOneTurn) {
  const std::string body(3 << 20, 'b');
  handler.play = [&](const HttpRequest&, std::unique_ptr<Responder>& responder) {
    responder->respond({200, {}, body});
    return true;
  };
  start_with_one_worker();
  std::list<RawClient> clients;
  for (int i = 0; i < 4; ++i) clients.emplace_back(server->address()).send(repeated(get("/"), 3));
  for (auto& client : clients) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.receive().body == body);
  }
}

TEST_F(ServerTurns, AClientThatGoesOnAfterRefusalsIsReadMoreSlowly) {
  handler.play = [](const HttpRequest& request, std::unique_ptr<Responder>& responder) {
    if (request.path != "/refused") return false;
    responder->respond(refusal());
    return true;
  };
  start_with_one_worker();
  RawClient client(server->address());
  for (int i = 0; i < 8; ++i) EXPECT_THAT(client.ask(get("/refused")).status, Eq(429));
  EXPECT_THAT(client.ask(get("/")).status, Eq(200));
  for (int i = 0; i < 8; ++i) EXPECT_THAT(client.ask(get("/refused")).status, Eq(429));
  EXPECT_THAT(rests.take(), Eq(0)) << "another answer came between";
  EXPECT_THAT(client.ask(get("/refused")).status, Eq(429));
  EXPECT_TRUE(rests.becomes([](int count) { return count == 1; }));
  EXPECT_THAT(client.ask(get("/")).status, Eq(200)) << "after its rest";
}

TEST_F(ServerTurns, AClientThatGoesOnThoughTheServiceIsBusyIsReadMoreSlowly) {
  handler.play = [](const HttpRequest&, std::unique_ptr<Responder>& responder) {
    responder->respond({503, {{"Retry-After", "1"}}, "busy"});
    return true;
  };
  start_with_one_worker();
  RawClient client(server->address());
  for (int i = 0; i < 8; ++i) EXPECT_THAT(client.ask(get("/")).status, Eq(503));
  EXPECT_THAT(rests.take(), Eq(0));
  EXPECT_THAT(client.ask(get("/")).status, Eq(503));
  EXPECT_TRUE(rests.becomes([](int count) { return count == 1; }));
}

TEST_F(ServerTurns, ARestLosesNoRequest) {
  handler.play = [](const HttpRequest&, std::unique_ptr<Responder>& responder) {
    responder->respond(refusal());
    return true;
  };
  start_with_one_worker();
  RawClient client(server->address());
  client.send(repeated(get("/refused"), 12));
  for (int i = 0; i < 12; ++i) EXPECT_THAT(client.receive().status, Eq(429));
  EXPECT_TRUE(rests.becomes([](int count) { return count >= 3; }));

  client.send(repeated(get("/refused"), 20));
  client.end_sending();
  for (int i = 0; i < 20; ++i) EXPECT_THAT(client.receive().status, Eq(429));
  EXPECT_TRUE(client.ends());
}

// The last bytes of a page are still unsent when the request behind it is refused.
TEST_F(ServerTurns, APageArrivesWholeWhileTheRefusalBehindItIsHeld) {
  const std::string page(8 << 20, 'p');
  handler.play = [&](const HttpRequest& request, std::unique_ptr<Responder>& responder) {
    responder->respond(request.path == "/page" ? HttpResponse{200, {}, page} : refusal());
    return true;
  };
  ServerOptions options;
  options.workers = 1;
  options.refusals_each_second = 0;
  options.refusal_hold = std::chrono::hours(1);
  options.on_rest = [this] { rests.change([](int& count) { ++count; }); };
  start(std::move(options));
  for (int i = 0; i < 4; ++i) {
    RawClient client(server->address(), 4 << 10);
    client.send(get("/page") + get("/refused"));
    EXPECT_TRUE(client.receive().body == page);
  }
  EXPECT_TRUE(rests.becomes([](int count) { return count == 4; }));
}

TEST_F(ServerTurns, ADrainDoesNotWaitForARest) {
  Watched<int> seen;
  handler.play = [&](const HttpRequest&, std::unique_ptr<Responder>& responder) {
    seen.change([](int& count) { ++count; });
    responder->respond(refusal());
    return true;
  };
  start_with_one_worker();
  RawClient client(server->address());
  client.send(repeated(get("/refused"), 64));
  EXPECT_TRUE(rests.becomes([](int count) { return count == 1; }));
  server->drain(std::chrono::seconds(10));
  for (int i = 0; i < 9; ++i) EXPECT_THAT(client.receive().status, Eq(429));
  EXPECT_TRUE(seen.becomes([](int count) { return count >= 9; }));
}

}  // namespace
}  // namespace tilth
