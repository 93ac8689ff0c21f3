// What sign-ins wait for while the provider is silent.

#include "infra/oidc/open_id_provider.h"

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fixtures/set_time.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

class MovableClock final : public Clock {
 public:
  Timestamp now() const override {
    return {Timestamp::parse("2026-03-01T12:00:00Z").value().at + passed.load()};
  }
  std::atomic<std::chrono::milliseconds> passed{0ms};
};

// Answers each request with its metadata, which serve as its keys, too; or, while it is silent, to
// none: a request waits until it speaks again or fails().
class Provider {
 public:
  Provider() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof at;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &length), 0);
    issuer_ = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    thread_ = std::jthread([this] { run(); });
  }
  ~Provider() {
    state = State::kFails;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  enum class State : std::uint8_t { kAnswers, kSilent, kFails };
  std::atomic<State> state = State::kAnswers;
  std::atomic<int> requests = 0;

  const std::string& issuer() const { return issuer_; }

 private:
  void run() {
    const auto json = R"({"issuer":")" + issuer_ + R"(","authorization_endpoint":")" + issuer_ +
                      R"(/sign-in","jwks_uri":")" + issuer_ + R"(/keys"})";
    const auto answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(json.size()) +
                        "\r\nConnection: close\r\n\r\n" + json;
    for (int one = 0; (one = ::accept(socket_, nullptr, nullptr)) >= 0;) {
      ++requests;
      char bytes[4'096];
      static_cast<void>(::recv(one, bytes, sizeof bytes, 0));
      testing::wait_until([this] { return state != State::kSilent; });
      if (state == State::kAnswers) {
        static_cast<void>(::send(one, answer.data(), answer.size(), MSG_NOSIGNAL));
      }
      ::close(one);
    }
  }

  const int socket_;
  std::string issuer_;
  std::jthread thread_;
};

class OpenIdProviderTest : public ::testing::Test {
 protected:
  bool signs_in() { return static_cast<bool>(client.authorization_url({})); }

  MovableClock clock;
  Provider provider;
  OpenIdProvider client{{provider.issuer(), "tilth", "secret", "Example"}, clock};
};

TEST_F(OpenIdProviderTest, SignInsShareTheFailureOfOneAttempt) {
  constexpr int kSignIns = 6;
  provider.state = Provider::State::kSilent;
  std::latch begun(kSignIns + 1);
  std::vector<std::future<bool>> sign_ins;
  for (int i = 0; i < kSignIns; ++i) {
    sign_ins.push_back(std::async(std::launch::async, [&] {
      begun.arrive_and_wait();
      return signs_in();
    }));
  }
  begun.arrive_and_wait();
  testing::wait_until([&] { return provider.requests > 0; });
  provider.state = Provider::State::kFails;
  for (auto& each : sign_ins) EXPECT_FALSE(each.get());
  EXPECT_EQ(provider.requests, 1);

  provider.state = Provider::State::kAnswers;
  clock.passed = 4'999ms;
  EXPECT_FALSE(signs_in());
  EXPECT_EQ(provider.requests, 1) << "a failure holds for some seconds";
  clock.passed = 5s;
  EXPECT_TRUE(signs_in());
}

TEST_F(OpenIdProviderTest, WhatIsOldDoesUntilThereIsNewer) {
  EXPECT_TRUE(signs_in());
  EXPECT_EQ(provider.requests, 2) << "metadata and keys";
  clock.passed = 1h;
  provider.state = Provider::State::kSilent;
  auto first = std::async(std::launch::async, [&] { return signs_in(); });
  testing::wait_until([&] { return provider.requests == 3; });
  EXPECT_TRUE(signs_in()) << "does not wait for the other one";
  EXPECT_EQ(provider.requests, 3);
  provider.state = Provider::State::kFails;
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(signs_in());
  EXPECT_EQ(provider.requests, 3);
  provider.state = Provider::State::kAnswers;
  clock.passed = 1h + 5s;
  EXPECT_TRUE(signs_in());
  EXPECT_EQ(provider.requests, 5);
}

}  // namespace
}  // namespace tilth
