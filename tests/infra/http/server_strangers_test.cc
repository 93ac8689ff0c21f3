// A response reaches the client that sent the request, or no client.

#include <array>
#include <atomic>
#include <deque>
#include <thread>

#include <gmock/gmock.h>

#include "tests/infra/http/raw_client.h"
#include "tests/infra/http/serving.h"

namespace tilth {
namespace {

using testing::Eq;

constexpr int kAborted = 10'000;
constexpr std::size_t kStrangers = 20;  // connections that wait for a response or sent nothing

struct Stranger {
  RawClient client;
  std::string token;
  bool asked = false;
};

class ServerStrangers : public Serving {
 protected:
  // Every request's path is its token and selects the response: at once or from another thread,
  // with a small body or a large one. The body begins and ends with the token.
  static std::string body_for(const HttpRequest& request) {
    const bool large = request.path.find("large") != std::string::npos;
    return request.path + std::string(large ? std::size_t{1} << 20 : 0, '.') + request.path;
  }

  void answer_later_ones() {
    for (;;) {
      auto [request, responder] = handler.next_later();
      if (!responder) return;
      if (request.path == "/later/stop") return responder->respond({});
      responder->respond({200, {}, body_for(request)});
    }
  }

  std::string next_token(int number) {
    static constexpr std::array kKinds = {"/small/",      "/later/small/", "/later/large/",
                                          "/large/",      "/later/small/", "/small/",
                                          "/later/small/"};
    return kKinds.at(static_cast<std::size_t>(number) % kKinds.size()) + std::to_string(number);
  }
};

TEST_F(ServerStrangers, HearNothingOfTenThousandAbortedClients) {
  handler.play = [](HttpRequest& request, std::unique_ptr<Responder>& responder) {
    responder->respond({200, {}, body_for(request)});
    return true;
  };
  start();
  std::jthread answering([this] { answer_later_ones(); });
  std::deque<Stranger> strangers;
  for (int i = 0; i < kAborted; ++i) {
    const std::string token = next_token(i);
    RawClient aborted(server->address());
    ASSERT_TRUE(aborted.connected());
    aborted.send(get(token));
    aborted.reset();
    // This one reuses the descriptors that were just closed, on both sides.
    if (i % 4 == 0) {
      strangers.push_back({RawClient(server->address()), "/later/own/" + std::to_string(i)});
      if (i % 8 == 0) strangers.back().client.send(get(strangers.back().token));
      strangers.back().asked = i % 8 == 0;
    }
    if (strangers.size() <= kStrangers) continue;
    auto& [client, own, asked] = strangers.front();
    if (!asked) {
      ASSERT_FALSE(client.hears_something()) << "before its request";
      client.send(get(own));
    }
    ASSERT_THAT(client.receive().body, Eq(own + own));
    ASSERT_FALSE(client.hears_something()) << "after its response";
    strangers.pop_front();
  }
  RawClient last(server->address());
  last.ask(get("/later/stop"));
  answering.join();
}

TEST_F(ServerStrangers, HearNothingWhenALargeAnswerIsCutInTheMiddle) {
  start();
  for (int i = 0; i < 50; ++i) {
    RawClient aborted(server->address());
    aborted.send(get("/later/" + std::to_string(i)));
    auto [request, responder] = handler.next_later();
    responder->respond({200, {}, std::string(std::size_t{8} << 20, 'x')});
    ASSERT_TRUE(aborted.hears_something() || !aborted.ends());
    aborted.reset();
    RawClient stranger(server->address());
    ASSERT_THAT(stranger.ask(get("/own")).body, Eq("GET /own "));
    ASSERT_FALSE(stranger.hears_something());
  }
}

TEST_F(ServerStrangers, HearNothingOfAnswersThatComeAfterTheirClientIsGone) {
  start();
  constexpr std::size_t kGone = 100;
  const auto all_asked = [&] {
    return handler.later.becomes([](const auto& asked) { return asked.size() == kGone; });
  };
  std::deque<RawClient> gone;
  for (std::size_t i = 0; i < kGone; ++i) {
    gone.emplace_back(server->address()).send(get("/later/gone"));
  }
  ASSERT_TRUE(all_asked());
  auto asked_by_gone = handler.later.take();
  for (auto& client : gone) client.reset();
  ASSERT_TRUE(connections_become(0));

  // They reuse the same descriptors, and wait for the responses to the same number of requests.
  std::deque<RawClient> strangers;
  for (std::size_t i = 0; i < kGone; ++i) {
    strangers.emplace_back(server->address()).send(get("/later/own"));
  }
  ASSERT_TRUE(all_asked());
  auto asked_by_strangers = handler.later.take();
  for (auto& [request, responder] : asked_by_gone) {
    responder->respond({200, {}, "for somebody else"});
  }
  for (auto& [request, responder] : asked_by_strangers) responder->respond({200, {}, "own"});
  for (auto& stranger : strangers) {
    ASSERT_THAT(stranger.receive().body, Eq("own"));
    ASSERT_FALSE(stranger.hears_something());
  }
}

TEST_F(ServerStrangers, AnswersMayOutliveTheServer) {
  start();
  RawClient client(server->address());
  client.send(get("/later") + get("/later"));
  auto first = handler.next_later();
  auto second = handler.next_later();
  server.reset();
  first.responder->respond({200, {}, "too late"});
  const auto stream = second.responder->stream({});
  EXPECT_FALSE(stream->write("too late"));
  EXPECT_TRUE(stream->closed());
  EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace tilth
