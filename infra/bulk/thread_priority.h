// For threads whose work may take as long as it takes.

#pragma once

#include <sys/resource.h>

namespace tilth {

// From now on the calling thread lets all others go first that have not said so, too.
inline void lower_thread_priority() {
  constexpr int kNiceness = 10;
  ::setpriority(PRIO_PROCESS, 0, kNiceness);  // Linux: of this thread alone
}

}  // namespace tilth
