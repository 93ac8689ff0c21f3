// Runs DeliverySharing.

#pragma once

#include <thread>

#include "infra/webhooks/delivery_sharing.h"

namespace tilth {

// Threads: one of its own, from the constructor to the destructor.
class DeliverySharingThread {
 public:
  // `sharing` must outlive it.
  explicit DeliverySharingThread(DeliverySharing& sharing);

 private:
  void run(const std::stop_token& stop);

  DeliverySharing& sharing_;
  std::jthread thread_;
};

}  // namespace tilth
