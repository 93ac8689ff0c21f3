#include "infra/cluster/membership_thread.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kTurn = 100ms, kRetryDelay = 500ms, kLeaveTimeout = 1'000ms;

}  // namespace

MembershipThread::MembershipThread(Membership& membership)
    : membership_(membership), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void MembershipThread::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void MembershipThread::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopping;
  while (!stop.stop_requested()) {
    if (membership_.turn(kTurn)) continue;
    std::unique_lock lock(mutex);
    stopping.wait_for(lock, stop, kRetryDelay, [] { return false; });
  }
  membership_.leave(kLeaveTimeout);
}

}  // namespace tilth
