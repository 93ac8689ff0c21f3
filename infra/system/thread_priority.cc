#include "infra/system/thread_priority.h"

#include <algorithm>
#include <cstdint>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tilth {
namespace {

// sched_attr of linux/sched/types.h, which cannot be included next to <pthread.h>.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;  // SCHED_OTHER
  std::uint64_t flags = 0;
  std::int32_t niceness = 0;
  std::uint32_t priority = 0;
  std::uint64_t slice = 0;  // nanoseconds
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

constexpr std::uint32_t kOther = 0, kBatch = 3;   // policies with slices
constexpr std::uint64_t kThreadsItStartsNot = 1;  // SCHED_FLAG_RESET_ON_FORK

// 0 nanoseconds: the slices that the system has for all, which the threads that it starts have in
// any case. Another policy, which an operator has chosen, stays.
void set_slice(int niceness, std::uint64_t nanoseconds) {
  SchedulingAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0U) != 0) return;
  if (attributes.policy != kOther && attributes.policy != kBatch) return;
  attributes.size = sizeof attributes;
  attributes.flags = nanoseconds == 0 ? 0 : kThreadsItStartsNot;
  attributes.niceness = niceness;
  attributes.slice = nanoseconds;
  ::syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

}  // namespace

void take_short_slices() {
  constexpr std::uint64_t kNanoseconds = 300'000;  // of one to three milliseconds that are usual
  set_slice(::getpriority(PRIO_PROCESS, 0), kNanoseconds);
}

void lower_thread_priority() {
  constexpr int kNicer = 10, kNicest = 19;
  const int of_process = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::getpid()));
  const int niceness = std::min(kNicest, of_process + kNicer);
  ::setpriority(PRIO_PROCESS, 0, niceness);  // Linux: of this thread alone
  set_slice(niceness, 0);
}

}  // namespace tilth
