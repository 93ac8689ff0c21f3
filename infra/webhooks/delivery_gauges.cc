#include "infra/webhooks/delivery_gauges.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace tilth {
namespace {

using namespace std::chrono_literals;

}  // namespace

void DeliveryGauges::measure(const DeliveryOwners& owners, Timestamp now, Timestamp oldest_retry) {
  reported_at_ =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_().time_since_epoch()).count();
  auto oldest_due = now;
  std::uint64_t due = 0, retry = 0;
  for (const auto& [name, owner] : owners) {
    for (const auto& target : owner.targets) {
      if (!target->may_send()) continue;
      const auto& source = target->sources.front();
      due += owner.end - std::min(owner.end, source.place()) + target->due.size();
      retry += target->pending - std::min<std::uint64_t>(target->pending, target->due.size());
      if (!source.queue.empty()) oldest_due = std::min(oldest_due, source.queue.front()->time);
    }
  }
  const auto seconds = [&](Timestamp since) {
    return std::chrono::duration_cast<std::chrono::seconds>(now.at - since.at).count();
  };
  backlog_due_ = due, backlog_retry_ = retry;
  oldest_due_ = seconds(oldest_due), oldest_retry_ = seconds(oldest_retry);
}

void DeliveryGauges::clear() {
  webhooks_ = backlog_due_ = backlog_retry_ = 0;
  oldest_due_ = oldest_retry_ = 0;
}

void DeliveryGauges::report(Samples& to) const {
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    to.counter("tilth_webhook_attempts_total", "Attempts to send an event to a webhook.",
               {{"outcome", std::string(name_of(static_cast<AttemptOutcome>(i)))}},
               static_cast<double>(outcomes_.at(i)));
  }
  const auto gauge = [&](std::string_view name, std::string_view help, std::string_view state,
                         double value) {
    to.gauge(name, help, {{"state", std::string(state)}}, value);
  };
  constexpr std::string_view kBacklog = "tilth_webhook_backlog",
                             kBacklogHelp = "Events that webhooks have not got yet.",
                             kOldest = "tilth_webhook_oldest_seconds",
                             kOldestHelp = "How long the oldest of these has waited.";
  gauge(kBacklog, kBacklogHelp, "due", static_cast<double>(backlog_due_));
  gauge(kBacklog, kBacklogHelp, "retry", static_cast<double>(backlog_retry_));
  // A thread that is stuck does not say so itself.
  const auto silent = std::chrono::duration_cast<std::chrono::seconds>(
      steady_().time_since_epoch() - std::chrono::milliseconds(reported_at_.load()));
  const auto stuck = backlog_due_ > 0 && silent > 2s ? silent.count() : 0;
  gauge(kOldest, kOldestHelp, "due", static_cast<double>(oldest_due_ + stuck));
  gauge(kOldest, kOldestHelp, "retry", static_cast<double>(oldest_retry_));
  to.gauge("tilth_webhooks", "Webhooks that there are.", {}, static_cast<double>(webhooks_));
}

}  // namespace tilth
