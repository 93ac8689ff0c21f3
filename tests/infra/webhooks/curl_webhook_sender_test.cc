// Where connections go is decided at the socket: names are resolved here as an attacker would.

#include "infra/webhooks/curl_webhook_sender.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kDelivered =
    "HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nYes.";

constexpr std::string_view kSlowName = "slow.example";

// The lookup of a name whose server is silent: it fails once the test lets it, or after a minute.
class SlowLookup {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 1min, [this] { return let_go_; });
    ended_ = true;
    changed_.notify_all();
  }
  void end() {
    std::unique_lock lock(mutex_);
    let_go_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return ended_; });
  }
  bool has_ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool let_go_ = false, ended_ = false;
};

SlowLookup slow_lookup;

// Answers the same to every connection, and counts them.
class Receiver {
 public:
  explicit Receiver(std::string_view answer = kDelivered)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), answer_(answer) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof at;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &length), 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::jthread([this] { run(); });
  }
  ~Receiver() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  std::string port() const { return std::to_string(port_); }
  int connections() const { return connections_; }

 private:
  void run() {
    for (int one = 0; (one = ::accept(socket_, nullptr, nullptr)) >= 0;) {
      ++connections_;
      char bytes[4'096];
      static_cast<void>(::recv(one, bytes, sizeof bytes, 0));
      static_cast<void>(::send(one, answer_.data(), answer_.size(), MSG_NOSIGNAL));
      ::close(one);
    }
  }

  int socket_;
  std::string_view answer_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::jthread thread_;
};

WebhookAnswer answer_of(CurlWebhookSender& sender, const std::string& url) {
  std::optional<WebhookAnswer> answer;
  sender.send({url, {"webhook-id: 1"}, std::make_shared<const std::string>("{}")},
              [&](WebhookAnswer its) { answer = std::move(its); });
  while (!answer) sender.turn(10ms);
  return *answer;
}

WebhookAnswer answer_of(const std::string& url, const WebhookSafety& safety,
                        std::vector<std::string> resolved = {}) {
  CurlWebhookSender sender(safety, {.timeout = 3s, .resolved = std::move(resolved)});
  return answer_of(sender, url);
}

constexpr WebhookSafety kHttp{.allow_http = true}, kAll{.allow_http = true, .allow_private = true};

TEST(CurlWebhookSender, TakesTheAnswer) {
  const Receiver receiver;
  const auto answer = answer_of("http://127.0.0.1:" + receiver.port() + "/", kAll);
  EXPECT_EQ(answer.outcome, AttemptOutcome::kDelivered) << answer.error;
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "Yes.");
}

// A line that begins with a space continues the header before it, of which there is none here.
TEST(CurlWebhookSender, AnAnswerContinuesNoHeaderOfTheAnswerBefore) {
  const Receiver before;
  const Receiver folded("HTTP/1.1 200 OK\r\n x: y\r\ncontent-length: 4\r\n\r\nYes.");
  CurlWebhookSender sender(kAll, {.timeout = 3s});
  EXPECT_EQ(answer_of(sender, "http://127.0.0.1:" + before.port() + "/").status, 200);
  const auto answer = answer_of(sender, "http://127.0.0.1:" + folded.port() + "/");
  EXPECT_EQ(answer.outcome, AttemptOutcome::kUnreachable);
  EXPECT_EQ(answer.error, "The answer is not valid HTTP.");
}

TEST(CurlWebhookSender, ConnectsToNoAddressThatIsNotPublicHoweverItIsSpelled) {
  const Receiver receiver;
  for (const auto* host : {"127.0.0.1", "2130706433", "0177.0.0.1", "127.1", "0.0.0.0", "[::1]",
                           "[::ffff:127.0.0.1]", "localhost"}) {
    const auto answer =
        answer_of("http://" + std::string(host) + ":" + receiver.port() + "/", kHttp);
    EXPECT_EQ(answer.outcome, AttemptOutcome::kRefusedAddress) << host << ": " << answer.error;
    EXPECT_FALSE(answer.status);
  }
  EXPECT_EQ(receiver.connections(), 0);
}

TEST(CurlWebhookSender, ConnectsToNoPrivateAddressOfAName) {
  const Receiver receiver;
  for (const auto* addresses : {"127.0.0.1", "[::1]", "[::1],127.0.0.1", "10.0.0.1,127.0.0.1"}) {
    const auto answer =
        answer_of("http://farm.example:" + receiver.port() + "/", kHttp,
                  {"farm.example:" + receiver.port() + ":" + std::string(addresses)});
    EXPECT_EQ(answer.outcome, AttemptOutcome::kRefusedAddress) << addresses;
  }
  EXPECT_EQ(receiver.connections(), 0);
}

// 192.0.2.0/24 and 2001:db8::/32 belong to no one, and are not public either; 1.1.1.1 may or may
// not answer from here. Either way the private address of the name is not connected to.
TEST(CurlWebhookSender, OfANameWithBothKindsOfAddressesOnlyPublicOnesAreConnectedTo) {
  const Receiver receiver;
  for (const auto* addresses : {"1.1.1.1,127.0.0.1", "127.0.0.1,1.1.1.1"}) {
    const auto answer =
        answer_of("http://farm.example:" + receiver.port() + "/", kHttp,
                  {"farm.example:" + receiver.port() + ":" + std::string(addresses)});
    EXPECT_NE(answer.outcome, AttemptOutcome::kDelivered) << addresses;
  }
  EXPECT_EQ(receiver.connections(), 0);
}

// The name leads elsewhere at the second request; a check of the name beforehand would not notice.
TEST(CurlWebhookSender, ChecksEachConnectionNotTheName) {
  const Receiver receiver;
  const auto url = "http://farm.example:" + receiver.port() + "/";
  const auto here = "farm.example:" + receiver.port() + ":127.0.0.1";
  EXPECT_EQ(answer_of(url, kAll, {here}).outcome, AttemptOutcome::kDelivered);
  EXPECT_EQ(answer_of(url, kHttp, {here}).outcome, AttemptOutcome::kRefusedAddress);
  EXPECT_EQ(receiver.connections(), 1);
}

TEST(CurlWebhookSender, SpeaksNothingButHttp) {
  const Receiver receiver;
  for (const auto* scheme : {"ftp", "gopher", "telnet", "dict"}) {
    const auto answer =
        answer_of(std::string(scheme) + "://127.0.0.1:" + receiver.port() + "/", kAll);
    EXPECT_EQ(answer.outcome, AttemptOutcome::kUnreachable) << scheme;
  }
  const auto plain =
      answer_of("http://127.0.0.1:" + receiver.port() + "/", {.allow_private = true});
  EXPECT_EQ(plain.outcome, AttemptOutcome::kUnreachable);
  EXPECT_EQ(receiver.connections(), 0);
}

TEST(CurlWebhookSender, NeedsTls) {
  const Receiver receiver;
  const auto answer = answer_of("https://127.0.0.1:" + receiver.port() + "/", kAll);
  EXPECT_EQ(answer.outcome, AttemptOutcome::kUnreachable);
  EXPECT_FALSE(answer.status);
}

TEST(CurlWebhookSender, ANameThatResolvesSlowlyHoldsUpNothing) {
  CurlWebhookSender sender(kAll, {.timeout = 2s});
  const auto answer = answer_of(sender, "http://" + std::string(kSlowName) + "/");
  EXPECT_EQ(answer.outcome, AttemptOutcome::kTimedOut) << answer.error;
  EXPECT_FALSE(slow_lookup.has_ended());
  const Receiver receiver;
  EXPECT_EQ(answer_of(sender, "http://127.0.0.1:" + receiver.port() + "/").status, 200);
  slow_lookup.end();
}

TEST(CurlWebhookSender, IgnoresTheProxiesOfTheEnvironment) {
  const Receiver receiver, proxy;
  ::setenv("http_proxy", ("http://127.0.0.1:" + proxy.port()).c_str(), 1);
  ::setenv("ALL_PROXY", ("http://127.0.0.1:" + proxy.port()).c_str(), 1);
  const auto answer = answer_of("http://127.0.0.1:" + receiver.port() + "/", kAll);
  ::unsetenv("http_proxy");
  ::unsetenv("ALL_PROXY");
  EXPECT_EQ(answer.outcome, AttemptOutcome::kDelivered);
  EXPECT_EQ(proxy.connections(), 0);
}

}  // namespace
}  // namespace tilth

// libcurl looks names up with this function, which stands before that of the C library.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  if (name != nullptr && name == tilth::kSlowName) {
    tilth::slow_lookup.wait();
    return EAI_AGAIN;
  }
  static const auto kNext =
      reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return kNext(name, service, hints, result);
}
