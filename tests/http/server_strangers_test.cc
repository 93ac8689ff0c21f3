// An answer reaches the client that asked, or nobody.

#include <array>
#include <atomic>
#include <deque>
#include <thread>

#include <gmock/gmock.h>

#include "tests/http/raw_client.h"
#include "tests/http/serving.h"

namespace tilth {
namespace {

using testing::Eq;

constexpr int kAborted = 10'000;
constexpr std::size_t kStrangers = 20;  // connections that are open and asked nothing yet

class ServerStrangers : public Serving {
 protected:
  // Every request's path is its token and says how it is answered: at once or from another thread,
  // with a small body or a large one; the body begins and ends with the token.
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
  std::thread answering([this] { answer_later_ones(); });
  std::deque<RawClient> strangers;
  for (int i = 0; i < kAborted; ++i) {
    const std::string token = next_token(i);
    RawClient aborted(server->address());
    ASSERT_TRUE(aborted.connected());
    aborted.send(get(token));
    aborted.reset();
    // This one gets the descriptors that were just given up, on both sides.
    if (i % 4 == 0) strangers.emplace_back(server->address());
    if (strangers.size() <= kStrangers) continue;
    ASSERT_FALSE(strangers.front().hears_something()) << "before it asked";
    const std::string own = "/small/own/" + std::to_string(i);
    ASSERT_THAT(strangers.front().ask(get(own)).body, Eq(own + own));
    ASSERT_FALSE(strangers.front().hears_something()) << "after it was answered";
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
  constexpr int kGone = 100;
  for (int i = 0; i < kGone; ++i) RawClient(server->address()).send(get("/later"));
  ASSERT_TRUE(handler.later.becomes([](const auto& asked) { return asked.size() == kGone; }));
  auto asked = handler.later.take();
  std::deque<RawClient> strangers;
  for (int i = 0; i < kGone; ++i) strangers.emplace_back(server->address());
  for (auto& [request, responder] : asked) responder->respond({200, {}, "for somebody else"});
  for (auto& stranger : strangers) {
    ASSERT_THAT(stranger.ask(get("/own")).body, Eq("GET /own "));
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
