#include "infra/webhooks/delivery_sharing_thread.h"

#include <chrono>

#include "api/platform/thread_name.h"
#include "infra/system/run_turns.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kTurn = 50ms, kRetryDelay = 1s;

}  // namespace

DeliverySharingThread::DeliverySharingThread(DeliverySharing& sharing)
    : sharing_(sharing), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void DeliverySharingThread::run(const std::stop_token& stop) {
  name_thread("webhooks shared");
  run_turns(
      stop, [this] { return sharing_.turn(kTurn); }, kRetryDelay);
}

}  // namespace tilth
