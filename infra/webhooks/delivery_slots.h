// Shares the requests to receivers fairly among webhooks.

#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

#include "infra/webhooks/delivery_target.h"

namespace tilth {

// Operation: webhooks that have something to send wait in a queue; each gets one request, then goes
// to the end of the queue. A webhook whose receiver answers fast gets more requests at a time; one
// that has not proven fast has one, and all of these together leave room for the others.
//
// Threads: one.
class DeliverySlots {
 public:
  // Queues it, if it may send and is not queued.
  void add(const SharedTarget& target);

  // The next webhook that has a request left; null: there is none now.
  SharedTarget next();

  // A request to it begins.
  DeliveryAttempt begin(const SharedTarget& target);
  // It has ended.
  void end(const DeliveryAttempt& attempt);
  // How its receiver answered: decides how many requests it has at a time.
  static void judge(DeliveryTarget& target, bool delivered, std::chrono::milliseconds took);

  // Forgets those that wait; requests under way still count.
  void clear();

 private:
  std::deque<SharedTarget> runnable_, waiting_;
  std::size_t busy_ = 0, unproven_ = 0;
};

}  // namespace tilth
