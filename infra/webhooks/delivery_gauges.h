// What operators see of the deliveries to webhooks: attempts, and what waits.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "infra/metrics/metrics.h"
#include "infra/webhooks/delivery_target.h"
#include "infra/webhooks/webhook_sender.h"

namespace tilth {

// Threads: report() from any; the rest from the one that delivers.
class DeliveryGauges {
 public:
  using Steady = std::chrono::steady_clock;

  explicit DeliveryGauges(std::function<Steady::time_point()> steady)
      : steady_(std::move(steady)) {}

  void attempted(AttemptOutcome outcome) { ++outcomes_.at(static_cast<std::size_t>(outcome)); }

  // `oldest_retry`: when the pending delivery that is due next was tried last; `now` if none is.
  void measure(const DeliveryOwners& owners, Timestamp now, Timestamp oldest_retry);
  void added() { ++webhooks_; }
  void removed() { --webhooks_; }
  void clear();

  void report(Samples& to) const;

 private:
  const std::function<Steady::time_point()> steady_;
  std::array<std::atomic<std::uint64_t>, 5> outcomes_ = {};
  std::atomic<std::uint64_t> backlog_due_ = 0, backlog_retry_ = 0, webhooks_ = 0;
  std::atomic<std::int64_t> oldest_due_ = 0, oldest_retry_ = 0, reported_at_ = 0;
};

}  // namespace tilth
