// The port through which the API sees what is sent to webhooks.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/webhooks/webhook_url.h"
#include "events/integrations/webhook.h"
#include "events/log/event_log.h"
#include "events/values/result.h"
#include "projections/integrations/webhook.h"
#include "projections/rows/lists/ranked_key.h"

namespace tilth {

// What came of an event that a webhook is to get: it waits for its next attempt, or arrived, or was
// given up.
enum class DeliveryStatus : std::uint8_t { kPending, kDelivered, kFailed };
constexpr auto labels(DeliveryStatus) {
  return named<DeliveryStatus>("pending", "delivered", "failed");
}

// One event on its way to one webhook, with its last attempt.
struct Delivery {
  Uuid id = {};
  std::string event_id = {};
  std::string type = {};
  std::int64_t attempt = 0;  // how many there were
  DeliveryStatus status = DeliveryStatus::kPending;
  std::optional<std::int64_t> http_status = {};
  std::optional<std::string> error = {};
  std::optional<std::int64_t> duration_ms = {};
  Timestamp at = {};  // of the last attempt; before the first, when it was taken up
  std::optional<Timestamp> next_attempt_at = {};
  std::int64_t event_version = 0;  // of the owner's stream

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("eventId", event_id), member("type", type),
       member("attempt", attempt), member("status", status), member("httpStatus", http_status),
       member("error", error), member("durationMs", duration_ms), member("at", at),
       member("nextAttemptAt", next_attempt_at),
       member("eventVersion", event_version, {.hidden = true}));
  }
};

// What came of a test.
struct WebhookTest {
  std::optional<std::int64_t> status = {};  // of HTTP; null: there was no answer
  std::int64_t milliseconds = 0;
  std::optional<std::string> error = {};
  std::string body = {};  // the answer's first 1,000 bytes

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("status", status), member("milliseconds", milliseconds), member("error", error),
       member("body", body));
  }
};

// Threads: any.
class WebhookDeliveries {
 public:
  virtual ~WebhookDeliveries() = default;

  virtual const WebhookSafety& safety() const = 0;

  // The secret itself. Show it once, and log it never.
  virtual std::string secret(const WebhookSecretId& id) const = 0;

  virtual WebhookActivity activity(const WebhookId& id) const = 0;

  // kUnavailable, kDamaged: they cannot be read.
  virtual Result<WebhookReplays> replays(const WebhookId& id) const = 0;

  struct Listing {
    std::optional<DeliveryStatus> status = {};  // null: all
    Order order = Order::kDescending;           // by when the events were
    std::uint64_t skip = 0;
    std::uint64_t limit = 0;
  };
  // kUnavailable, kDamaged: they cannot be read.
  struct Page {
    std::vector<Delivery> deliveries;
    std::uint64_t total = 0;
  };
  virtual Result<Page> list(const WebhookId& id, const Listing& listing) const = 0;

  // Null: there is no such delivery. kUnavailable, kDamaged: it cannot be read.
  virtual Result<std::optional<Delivery>> find(const WebhookId& id, const Uuid& delivery) const = 0;

  // Sends a test to that webhook of the owner, as it is after the change at `since`, if that is
  // given. `done` runs once, on another thread. kNotFound: there is no such webhook. kUnavailable:
  // too many are under way, this node has not read up to `since` in time, or the service ends.
  using OnTested = std::function<void(const Result<WebhookTest>&)>;
  virtual void test(const std::string& owner, const WebhookId& id,
                    const std::optional<Position>& since, OnTested done) = 0;
};

}  // namespace tilth
