// Sends POST requests to receivers that are not trusted.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/webhooks/webhook_url.h"

namespace tilth {

// How an attempt ended.
enum class AttemptOutcome : std::uint8_t {
  kDelivered,       // 2xx
  kHttpError,       // another status
  kTimedOut,        // no complete answer in time
  kRefusedAddress,  // the name leads to an address that is not public
  kUnreachable,     // no connection, no name, no TLS, or not HTTP
};
std::string_view name_of(AttemptOutcome outcome);

struct WebhookPost {
  std::string url;
  std::vector<std::string> headers;
  std::shared_ptr<const std::string> body;
};

struct WebhookAnswer {
  AttemptOutcome outcome = AttemptOutcome::kUnreachable;
  std::optional<std::int64_t> status = {};
  std::string error = {};  // a sentence for the owner; empty if delivered
  std::string body = {};   // its first bytes
  std::chrono::milliseconds took{0};
};

// Operation: many requests at once on one thread that never blocks. Each connection is opened only
// to an address that is public, which is checked on the very address, whatever the name resolved to
// a moment ago. Redirects are not followed, certificates are verified, proxies and other settings
// of the environment are ignored, and of an answer only the beginning is read.
//
// Threads: one, except for wake().
class WebhookSender {
 public:
  struct Limits {
    std::chrono::milliseconds timeout{10'000};  // for the whole answer
    std::size_t most_bytes = 64 << 10;          // of an answer's head, and of its body
    std::size_t shown_bytes = 1'000;
    std::vector<std::string> resolved = {};  // "HOST:PORT:ADDRESS,…" instead of asking for it
  };
  using OnAnswered = std::function<void(WebhookAnswer)>;

  explicit WebhookSender(const WebhookSafety& safety) : WebhookSender(safety, Limits{}) {}
  WebhookSender(const WebhookSafety& safety, const Limits& limits);
  ~WebhookSender();  // requests in flight are abandoned

  // `done` runs once, within turn().
  void send(WebhookPost post, OnAnswered done);
  std::size_t in_flight() const;

  // Sends and receives what is possible, then waits up to `timeout` for more.
  void turn(std::chrono::milliseconds timeout);

  // Ends the wait of turn(). From any thread.
  void wake();

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace tilth
