#include "api/platform/thread_name.h"

#include <pthread.h>

namespace tilth {

void name_thread(const std::string& name) {
  constexpr std::size_t kMost = 15;
  ::pthread_setname_np(::pthread_self(), name.substr(0, kMost).c_str());
}

}  // namespace tilth
