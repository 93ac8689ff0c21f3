#include "infra/webhooks/delivery_sharing_thread.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kTurn = 50ms, kAfterTrouble = 1s;

}  // namespace

DeliverySharingThread::DeliverySharingThread(DeliverySharing& sharing)
    : sharing_(sharing), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void DeliverySharingThread::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopping;
  while (!stop.stop_requested()) {
    if (sharing_.turn(kTurn)) continue;
    std::unique_lock lock(mutex);
    stopping.wait_for(lock, stop, kAfterTrouble, [] { return false; });
  }
}

}  // namespace tilth
