// Runs Membership.

#pragma once

#include <thread>

#include "infra/cluster/membership.h"

namespace tilth {

// Threads: one of its own, from the constructor until stop().
class MembershipThread {
 public:
  // `membership` must outlive it.
  explicit MembershipThread(Membership& membership);
  ~MembershipThread() { stop(); }

  // Announces that this node leaves, for up to two seconds, and ends the thread.
  // Idempotent.
  void stop();

 private:
  void run(const std::stop_token& stop);

  Membership& membership_;
  std::jthread thread_;
};

}  // namespace tilth
