// What becomes of requests when nodes stop, fail, or fall silent.

#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "infra/config/config.h"
#include "infra/http/acceptor.h"
#include "infra/http/spooled_body.h"
#include "tests/infra/peers/peering.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::wait_until;

class PeerLives : public Peering {
 protected:
  void restart() {
    auto parts = server_parts();
    parts.at = *HostPort::parse(address);
    auto started = PeerServer::start(std::move(parts));
    ASSERT_TRUE(started) << started.error().message;
    server = std::move(*started);
  }
};

TEST_F(PeerLives, ANodeThatDoesNotListenWasSentNothing) {
  start();
  address = "127.0.0.1:1";
  auto request = put("/farms", "the body");
  request.headers = {{"a", "b"}};
  const auto outcome = send(request);
  EXPECT_EQ(outcome->lost(), Lost::kNotSent);
  EXPECT_EQ(outcome->why(), "The node at 127.0.0.1:1 cannot be reached: Connection refused.");
  const auto state = outcome->state.take();
  EXPECT_EQ(state.given_back.path, "/farms");
  EXPECT_EQ(state.given_back.body, "the body");
  EXPECT_EQ(state.given_back.headers, request.headers);
  EXPECT_TRUE(state.has_responder);
  EXPECT_EQ(client_metric("lost_requests_total not_sent"), 1);
}

TEST_F(PeerLives, ANodeIsReachedBeforeAnythingIsSentToIt) {
  start();
  EXPECT_FALSE(client->reach(address).connected) << "it begins to connect";
  wait_until([&] { return client->reach(address).connected; });
  EXPECT_EQ(client->reach(address).node, "b");
  EXPECT_EQ(client_metric("requests_total client"), 0);
}

TEST_F(PeerLives, WhyANodeIsNotReachedIsToldAndLoggedOnce) {
  start();
  const std::string none = "127.0.0.1:1";
  const auto why = "The node at 127.0.0.1:1 cannot be reached: Connection refused.";
  EXPECT_EQ(client->reach(none).why_not, "") << "it is tried for the first time";
  for (int tries = 0; tries < 3; ++tries) {
    wait_until([&] { return client->reach(none).why_not == why; });
    time.pass(1h);
    EXPECT_FALSE(client->reach(none).connected);
  }
  const auto text = logged();
  EXPECT_THAT(text, HasSubstr(why));
  EXPECT_EQ(text.find(why), text.rfind(why));
}

TEST_F(PeerLives, WhatIsNoAddressWasSentNothing) {
  start();
  address = "nowhere";
  EXPECT_EQ(send(get("/"))->lost(), Lost::kNotSent);
}

TEST_F(PeerLives, ANameIsLookedUp) {
  start();
  address = "localhost" + address.substr(address.rfind(':'));
  EXPECT_EQ(send(get("/a"))->response().body, "GET /a ");
}

TEST_F(PeerLives, AfterAFailureTheNextAttemptHasToWait) {
  start();
  const auto at = address;
  server.reset();
  EXPECT_EQ(send(get("/"))->lost(), Lost::kNotSent);
  restart();
  EXPECT_EQ(send(get("/"))->lost(), Lost::kNotSent) << "within 100 ms";
  time.pass(101ms);
  EXPECT_EQ(send(get("/a"))->response().body, "GET /a ");
}

TEST_F(PeerLives, AnotherAttemptMayBeginWithinLost) {
  start();
  const auto there = address;
  const auto outcome = std::make_shared<Outcome>();
  client->send("127.0.0.1:1", get("/a"), std::make_unique<OutcomeResponder>(outcome),
               [&](Lost, std::string, HttpRequest request, std::unique_ptr<Responder> to) {
                 client->send(there, std::move(request), std::move(to), {});
               });
  EXPECT_EQ(outcome->response().body, "GET /a ");
}

TEST_F(PeerLives, ANodeThatDiesMayHaveCarriedOutWhatItWasSent) {
  start();
  const auto outcome = send(get("/later"));
  const auto [request, responder] = asked();
  server->stop();
  EXPECT_EQ(outcome->lost(), Lost::kUnknown);
  EXPECT_EQ(outcome->state.take().given_back.path, "/later");
  EXPECT_TRUE(responder->abandoned());
}

TEST_F(PeerLives, AResponderMayOutliveTheServer) {
  start();
  send(get("/later/whole"));
  const auto responder = asked().responder;
  send(get("/later/stream"));
  auto late = asked().responder;
  send(get("/later/begun"));
  const auto stream = asked().responder->stream({});
  server.reset();
  responder->respond({});
  EXPECT_TRUE(stream->closed());
  EXPECT_FALSE(stream->write("more"));
  EXPECT_FALSE(late->stream({})->write("more"));
}

TEST_F(PeerLives, AStreamOfANodeThatDiesIsCut) {
  start();
  const auto outcome = send(get("/later"));
  const auto stream = asked().responder->stream({});
  stream->write("half of");
  EXPECT_TRUE(outcome->becomes([](const auto& now) { return now.pieces == "half of"; }));
  server->stop();
  EXPECT_TRUE(outcome->becomes([](const auto& now) { return now.cut; }));
  EXPECT_FALSE(outcome->state.take().lost);
}

TEST_F(PeerLives, AServerThatWasStartedAgainIsReachedAgain) {
  start();
  EXPECT_EQ(send(get("/a"))->response().status, 200);
  server.reset();
  wait_until([&] { return client_metric("connections client") == 0; });
  restart();
  EXPECT_EQ(send(get("/b"))->response().body, "GET /b ");
}

TEST_F(PeerLives, ARestOfABodyIsDroppedWithItsServer) {
  start();
  const auto slow = std::make_shared<Outcome>();
  slow->room = 0;
  send(get("/later"), slow);
  const auto stream = asked().responder->stream({});
  while (stream->has_room()) stream->write(std::string(100'000, '.'));
  std::jthread waiting([&] { stream->write("waits until the server stops"); });
  server->stop();
}

TEST_F(PeerLives, DrainingLetsRequestsInFlightBeAnswered) {
  start();
  const auto outcome = send(get("/later"));
  auto [request, responder] = asked();
  std::jthread draining([&] { server->drain(20s); });
  // Until the client hears of it, what it sends is not taken.
  wait_until([&] { return send(get("/"))->lost() == Lost::kNotSent; });
  responder->respond({200, {}, "in time"});
  EXPECT_EQ(outcome->response().body, "in time");
  draining.join();
  EXPECT_EQ(server_metric("connections server"), 0);
  server.reset();
  restart();
  EXPECT_EQ(send(get("/b"))->response().body, "GET /b ");
}

TEST_F(PeerLives, DrainingTellsStreamsToStop) {
  start();
  const auto outcome = send(get("/later"));
  const std::shared_ptr<BodyStream> stream = asked().responder->stream({});
  ASSERT_TRUE(stream->write("begun"));
  std::jthread draining([&] { server->drain(20s); });
  wait_until([&] { return stream->closed(); });
  stream->end();
  EXPECT_TRUE(outcome->becomes([](const auto& now) { return now.ended; }));
  EXPECT_EQ(outcome->state.take().pieces, "begun");
}

TEST_F(PeerLives, WhatAStoppedClientSendsIsLost) {
  start();
  const auto outcome = send(get("/later"));
  const auto unanswered = asked();
  client->stop();
  EXPECT_EQ(outcome->lost(), Lost::kUnknown);
  EXPECT_EQ(send(get("/"))->lost(), Lost::kNotSent);
}

// A node whose machine is gone, so that its connections do not close.
TEST_F(PeerLives, ANodeThatTakesNoConnectionIsLostAfterASecond) {
  start();
  const auto silent = listen_on("127.0.0.1", 0);
  address = silent->address;
  const auto outcome = send(get("/"));
  time.pass(999ms);
  // Something else has been decided in the meantime.
  EXPECT_EQ(send(get("/"), std::make_shared<Outcome>())->state.take().outcomes, 0);
  time.pass(1ms);
  EXPECT_EQ(outcome->lost(), Lost::kNotSent);
  EXPECT_THAT(outcome->why(), HasSubstr("It did not answer in time."));
}

// Passes bytes on between two nodes until it is told not to.
class Relay {
 public:
  explicit Relay(const std::string& to) : listening_(std::move(*listen_on("127.0.0.1", 0))) {
    const auto at = *HostPort::parse(to);
    thread_ = std::jthread([this, port = at.port](const std::stop_token& stop) {
      Descriptor client;
      while (!client && !stop.stop_requested()) {
        client = Descriptor(::accept(listening_.socket.get(), nullptr, nullptr));
        std::this_thread::yield();
      }
      Descriptor server(::socket(AF_INET, SOCK_STREAM, 0));
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      EXPECT_EQ(::connect(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
      while (!stop.stop_requested()) {
        if (!holds_up) {
          pass(client.get(), server.get());
          pass(server.get(), client.get());
        }
        std::this_thread::yield();
      }
    });
  }
  const std::string& address() const { return listening_.address; }
  std::atomic<bool> holds_up = false;

 private:
  static void pass(int from, int to) {
    std::array<char, 4096> bytes;
    const auto got = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0) ::send(to, bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
  }
  const Listening listening_;
  std::jthread thread_;
};

TEST_F(PeerLives, ANodeThatFallsSilentIsLostOnBothSides) {
  start();
  Relay relay(address);
  address = relay.address();
  const auto outcome = send(get("/later"));
  const auto held = asked();
  relay.holds_up = true;
  pass_until([&] { return held.responder->abandoned(); });
  EXPECT_EQ(outcome->lost(), Lost::kUnknown);
  EXPECT_THAT(outcome->why(), HasSubstr("It has been silent for 3 seconds."));
  EXPECT_EQ(server_metric("connections server"), 0);
}

TEST_F(PeerLives, NodesThatHaveNothingToSayStayConnected) {
  start();
  EXPECT_EQ(send(get("/a"))->response().status, 200);
  const auto sent = client_metric("bytes_total client sent");
  const auto until = time.now() + 10s;
  // A heartbeat takes less than a step, which is less than a silence.
  for (double beats = 1; time.now() < until; ++beats) {
    time.pass(1000ms);
    wait_until([&] {
      return client_metric("bytes_total client sent") >= sent + beats * 20 &&
             server_metric("bytes_total server received") ==
                 client_metric("bytes_total client sent") &&
             client_metric("bytes_total client received") ==
                 server_metric("bytes_total server sent");
    });
  }
  EXPECT_EQ(client_metric("connections client"), 1);
  EXPECT_EQ(server_metric("requests_total server"), 1);
}

TEST_F(PeerLives, AFileThatWasReadFromCannotBeSentAgain) {
  start();
  auto file = *SpooledBody::make(directory.path());
  ASSERT_TRUE(file->append(std::string(std::size_t{1} << 20, 'a')));
  auto request = of("POST", "/later", "");
  request.large_body = file;
  const auto outcome = send(std::move(request));
  const auto unanswered = asked();
  server->stop();
  EXPECT_EQ(outcome->lost(), Lost::kUnknown);
}

}  // namespace
}  // namespace tilth
