// Requests that are forwarded by a thread which also reads their answers.

#include <thread>

#include "tests/infra/http/raw_client.h"
#include "tests/infra/peers/peering.h"

namespace tilth {
namespace {

// The answer of another node, for a client of this one.
class RelayedAnswer final : public Responder {
 public:
  RelayedAnswer(std::unique_ptr<Responder> to, std::atomic<std::thread::id>& on)
      : to_(std::move(to)), on_(on) {}

  void respond(HttpResponse response) override {
    on_ = std::this_thread::get_id();
    to_->respond(std::move(response));
  }
  std::unique_ptr<BodyStream> stream(HttpResponse head) override {
    on_ = std::this_thread::get_id();
    return to_->stream(std::move(head));
  }
  bool abandoned() const override { return to_->abandoned(); }

 private:
  const std::unique_ptr<Responder> to_;
  std::atomic<std::thread::id>& on_;
};

// Forwards all requests to the node at an address.
class PassingHandler final : public HttpHandler {
 public:
  PassingHandler(const std::unique_ptr<PeerClient>& client, const std::string& address)
      : client_(client), address_(address) {}

  void handle(HttpRequest request, std::unique_ptr<Responder> responder) override {
    handled_on = std::this_thread::get_id();
    client_->send(address_, std::move(request),
                  std::make_unique<RelayedAnswer>(std::move(responder), answered_on),
                  [](Lost, const std::string& why, const HttpRequest&, const auto& to) {
                    to->respond({503, {}, why});
                  });
  }
  BodyPlan plan_body(const HttpRequest&) const override { return {BodyUse::kMemory}; }
  HttpResponse refuse(int status, std::string_view reason, const HttpRequest&) override {
    return {status, {}, std::string(reason)};
  }

  std::atomic<std::thread::id> handled_on = {}, answered_on = {};

 private:
  const std::unique_ptr<PeerClient>& client_;
  const std::string& address_;
};

class PeerEmbedded : public Peering {
 protected:
  void SetUp() override {
    start();
    auto started =
        HttpServer::start({.workers = 1, .embed = [this] { return client->embed(); }}, passing);
    ASSERT_TRUE(started) << started.error().message;
    passing_server = std::move(*started);
    // Its thread may read a request before it runs the loop for the first time.
    RawClient asking(passing_server->address());
    testing::wait_until([&] {
      EXPECT_EQ(asking.ask(asks("/")).body, "GET / ");
      return passing.answered_on.load() == passing.handled_on.load();
    });
  }
  void TearDown() override {
    passing_server.reset();
    Peering::TearDown();
  }
  static std::string asks(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }

  PassingHandler passing{client, address};
  std::unique_ptr<HttpServer> passing_server;
};

TEST_F(PeerEmbedded, ARequestIsAnsweredByTheThreadThatForwardedIt) {
  RawClient asking(passing_server->address());
  asking.send(asks("/later"));
  auto [request, responder] = asked();
  passing.answered_on = std::thread::id();
  responder->respond(PlayedHandler::echo(request));
  EXPECT_EQ(asking.receive().body, "GET /later ");
  EXPECT_EQ(passing.answered_on.load(), passing.handled_on.load());
  EXPECT_EQ(server_metric("connections server"), client_metric("connections client"));
}

TEST_F(PeerEmbedded, LargeBodiesAndStreamsComeThroughIt) {
  RawClient asking(passing_server->address());
  const std::string large(300'000, 'x');
  const auto answer = asking.ask("PUT /large-enough HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                                 std::to_string(large.size()) + "\r\n\r\n" + large);
  EXPECT_EQ(answer.body, "PUT /large-enough " + large);

  asking.send(asks("/later"));
  const auto stream = asked().responder->stream({.status = 200});
  ASSERT_TRUE(stream->write("one"));
  ASSERT_TRUE(stream->write(" and two"));
  stream->end();
  EXPECT_EQ(asking.receive().body, "one and two");
}

TEST_F(PeerEmbedded, WhatIsInFlightIsLostWithTheServer) {
  RawClient asking(passing_server->address());
  asking.send(asks("/later"));
  const auto in_flight = asked();
  passing_server.reset();
  EXPECT_TRUE(asking.ends());
  testing::wait_until([&] { return in_flight.responder->abandoned(); });
  EXPECT_EQ(send(get("/others"))->response().body, "GET /others ");
}

TEST_F(PeerEmbedded, AStoppedClientLosesWhatTheseThreadsSend) {
  RawClient asking(passing_server->address());
  asking.send(asks("/later"));
  const auto in_flight = asked();
  client->stop();
  EXPECT_EQ(asking.receive().status, 503);
  const auto refused = asking.ask(asks("/"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body, "This node is stopping.");
}

TEST_F(PeerEmbedded, AnotherThreadIsAnsweredByTheClients) {
  const auto outcome = std::make_shared<Outcome>();
  std::atomic<std::thread::id> answered_on = {};
  client->send(
      address, get("/"),
      std::make_unique<RelayedAnswer>(std::make_unique<OutcomeResponder>(outcome), answered_on),
      [](Lost, const std::string& why, const HttpRequest&, const auto&) { FAIL() << why; });
  EXPECT_EQ(outcome->response().body, "GET / ");
  EXPECT_NE(answered_on.load(), passing.handled_on.load());
  EXPECT_NE(answered_on.load(), std::this_thread::get_id());
}

}  // namespace
}  // namespace tilth
