#include "infra/cluster/membership_thread.h"

#include <chrono>

#include "api/platform/thread_name.h"
#include "infra/system/run_turns.h"

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
  name_thread("nodes");
  run_turns(
      stop, [this] { return membership_.turn(kTurn); }, kRetryDelay);
  membership_.leave(kLeaveTimeout);
}

}  // namespace tilth
