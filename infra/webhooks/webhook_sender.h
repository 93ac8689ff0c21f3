// How deliveries reach the receivers of webhooks.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// The port through which deliveries are sent, and through which the thread that sends them waits.
//
// Threads: one, except for wake().
class WebhookSender {
 public:
  using OnAnswered = std::function<void(WebhookAnswer)>;

  virtual ~WebhookSender() = default;

  // `done` runs once, within turn(), unless the sender is destroyed before.
  virtual void send(WebhookPost post, OnAnswered done) = 0;

  // Sends and receives what is possible, then waits up to `timeout` for more.
  virtual void turn(std::chrono::milliseconds timeout) = 0;

  // Ends the wait of turn(). From any thread.
  virtual void wake() = 0;
};

}  // namespace tilth
