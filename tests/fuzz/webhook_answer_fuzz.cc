// Whatever a webhook's receiver sends, the attempt ends, once, and says how. Of the answer only the
// beginning is kept, as text that can be shown.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unicode/utf8.h>
#include <unistd.h>

#include "events/values/utf8.h"
#include "infra/webhooks/curl_webhook_sender.h"
#include "tests/fuzz/require.h"

namespace {

using namespace std::chrono_literals;
using tilth::AttemptOutcome;
using tilth::fuzz::require;

constexpr std::string_view kBody = "{}";
constexpr std::size_t kMostShown = 100;

// Sends the same answer to every request, then nothing more.
class Receiver {
 public:
  Receiver() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof at;
    require(::bind(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    require(::listen(socket_, 16) == 0);
    require(::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &length) == 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port)) + "/";
  }

  const std::string& url() const { return url_; }

  void begin(std::string answer) {
    for (const int peer : peers_) ::close(peer);
    peers_.clear();
    answer_ = std::move(answer);
  }

  void turn() {
    for (int one = 0; (one = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      peers_.push_back(one);
      received_.clear();
    }
    if (peers_.empty()) return;
    char bytes[4'096];
    const auto got = ::recv(peers_.back(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got <= 0) return;
    received_.append(bytes, static_cast<std::size_t>(got));
    if (!received_.ends_with("\r\n\r\n" + std::string(kBody))) return;
    received_.clear();
    static_cast<void>(::send(peers_.back(), answer_.data(), answer_.size(), MSG_NOSIGNAL));
    ::shutdown(peers_.back(), SHUT_WR);
  }

 private:
  int socket_;
  std::string url_, answer_, received_;
  std::vector<int> peers_;
};

tilth::WebhookAnswer answer_to(const std::string& bytes) {
  static const tilth::WebhookSafety safety{.allow_http = true, .allow_private = true};
  static tilth::CurlWebhookSender sender(safety, {.timeout = 1h, .shown_bytes = kMostShown});
  static Receiver receiver;
  std::optional<tilth::WebhookAnswer> answer;
  receiver.begin(bytes);
  sender.send({receiver.url(), {"webhook-id: 1"}, std::make_shared<const std::string>(kBody)},
              [&](tilth::WebhookAnswer its) {
                require(!answer);
                answer = std::move(its);
              });
  while (!answer) {
    sender.turn(0ms);
    receiver.turn();
  }
  return *answer;
}

bool can_be_shown(const std::string& text) {
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(text.size());) {
    UChar32 character = 0;
    U8_NEXT(text.data(), at, static_cast<std::int32_t>(text.size()), character);
    if (character <= 0) return false;
  }
  return true;
}

void check(const tilth::WebhookAnswer& answer) {
  const bool delivered = answer.outcome == AttemptOutcome::kDelivered;
  require(delivered == answer.error.empty());
  require(answer.outcome != AttemptOutcome::kRefusedAddress);
  require(answer.outcome != AttemptOutcome::kTimedOut);
  if (delivered) require(answer.status && *answer.status >= 200 && *answer.status < 300);
  if (answer.outcome == AttemptOutcome::kHttpError) require(answer.status && *answer.status >= 300);
  require(answer.body.size() <= kMostShown && can_be_shown(answer.body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  check(answer_to(text));
  const auto whole = answer_to("HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(size) +
                               "\r\nconnection: close\r\n\r\n" + text);
  check(whole);
  require(whole.outcome == AttemptOutcome::kDelivered);
  const auto kept = std::string_view(text).substr(0, kMostShown);
  require(tilth::is_utf8(kept) ? whole.body.size() == kept.size() : !whole.body.empty());
  return 0;
}
