#include "tests/simulation/instead_of_waiting.h"

#include <utility>

#include <dlfcn.h>
#include <pthread.h>

namespace tilth::testing {
namespace {

thread_local InsteadOfWaiting* here = nullptr;

}  // namespace

InsteadOfWaiting::InsteadOfWaiting(std::function<bool()> work) : work_(std::move(work)) {
  here = this;
}

InsteadOfWaiting::~InsteadOfWaiting() { here = nullptr; }

bool InsteadOfWaiting::is_here() { return here != nullptr; }
bool InsteadOfWaiting::works() { return here->work_(); }

}  // namespace tilth::testing

// Stands before that of the C library.
extern "C" int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  using tilth::testing::InsteadOfWaiting;
  if (InsteadOfWaiting::is_here()) {
    pthread_mutex_unlock(mutex);
    const bool has_worked = InsteadOfWaiting::works();
    pthread_mutex_lock(mutex);
    if (has_worked) return 0;
  }
  static const auto kNext =
      reinterpret_cast<decltype(&pthread_cond_wait)>(::dlsym(RTLD_NEXT, "pthread_cond_wait"));
  return kNext(condition, mutex);
}
