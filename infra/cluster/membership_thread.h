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

  // Ends the thread, which says before that this node leaves. Waits up to two seconds for that.
  // Idempotent.
  void stop();

 private:
  void run(const std::stop_token& stop);

  Membership& membership_;
  std::jthread thread_;
};

}  // namespace tilth
