#include "infra/webhooks/delivery_slots.h"

#include <algorithm>
#include <utility>

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostAtOnce = 128;    // requests
constexpr std::size_t kMostUnproven = 96;   // of these, to webhooks that have not proven fast
constexpr std::size_t kMostOfWebhook = 16;  // of these, to one
constexpr auto kFast = 1s;

}  // namespace

void DeliverySlots::add(const SharedTarget& target) {
  if (target->runnable || !target->may_send()) return;
  target->runnable = true;
  runnable_.push_back(target);
}

SharedTarget DeliverySlots::next() {
  while (busy_ < kMostAtOnce) {
    // First those that wait, else the one that has just had a place would take it again.
    auto& queue = unproven_ < kMostUnproven && !waiting_.empty() ? waiting_ : runnable_;
    if (queue.empty()) break;
    auto target = std::move(queue.front());
    queue.pop_front();
    target->runnable = false;
    if (!target->may_send() || target->in_flight >= target->window) continue;
    if (target->fast || unproven_ < kMostUnproven) return target;
    target->runnable = true;
    waiting_.push_back(std::move(target));
  }
  return nullptr;
}

DeliveryAttempt DeliverySlots::begin(const SharedTarget& target) {
  ++target->in_flight, ++busy_;
  unproven_ += target->fast ? 0 : 1;
  return {.target = target,
          .delivery = {},
          .event = {},
          .unproven = !target->fast,
          .seen = target->row.updated_at};
}

void DeliverySlots::end(const DeliveryAttempt& attempt) {
  --attempt.target->in_flight, --busy_;
  unproven_ -= attempt.unproven ? 1 : 0;
}

void DeliverySlots::judge(DeliveryTarget& target, bool delivered, std::chrono::milliseconds took) {
  target.fast = delivered && took < kFast;
  target.window = target.fast ? std::min(2 * target.window, kMostOfWebhook) : 1;
}

void DeliverySlots::clear() { runnable_.clear(), waiting_.clear(); }

}  // namespace tilth
