// For threads whose work is not urgent.

#pragma once

#include <sys/resource.h>

namespace tilth {

// From now on the calling thread has a lower priority than all threads that did not call this.
inline void lower_thread_priority() {
  constexpr int kNiceness = 10;
  ::setpriority(PRIO_PROCESS, 0, kNiceness);  // Linux: of this thread alone
}

}  // namespace tilth
