#include "infra/system/thread_priority.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tilth {
namespace {

struct Seen {
  int niceness = 0;
  std::uint64_t slice = 0;  // 0: this kernel has no slices of a thread's own
};

Seen seen() {
  std::array<std::uint64_t, 6> attributes{};  // struct sched_attr; the slice is its 24th byte
  ::syscall(SYS_sched_getattr, 0, attributes.data(), sizeof(attributes), 0U);
  return {::getpriority(PRIO_PROCESS, 0), attributes[3]};
}

Seen on_a_thread(const std::function<void()>& first) {
  Seen found;
  std::thread([&] { first(), found = seen(); }).join();
  return found;
}

TEST(ThreadPriority, OneThatOthersWaitForHasShortSlicesAndNoMoreThanItsShare) {
  const auto usual = on_a_thread([] {});
  const auto prompt = on_a_thread(take_short_slices);
  EXPECT_EQ(prompt.niceness, usual.niceness);
  EXPECT_TRUE(usual.slice == 0 || prompt.slice < usual.slice);
}

TEST(ThreadPriority, ThreadsThatAPromptOneStartsAreAsUsual) {
  Seen started;
  on_a_thread([&] {
    take_short_slices();
    started = on_a_thread([] {});
  });
  EXPECT_EQ(started.slice, on_a_thread([] {}).slice);
}

TEST(ThreadPriority, ALowOneIsBelowTheProcessWhoeverStartedIt) {
  const auto usual = seen();
  Seen low;
  on_a_thread([&] {
    take_short_slices();
    low = on_a_thread(lower_thread_priority);
  });
  EXPECT_EQ(low.niceness, std::min(19, usual.niceness + 10));
  EXPECT_EQ(low.slice, on_a_thread([] {}).slice);
  const auto lower_yet = on_a_thread([] { lower_thread_priority(), lower_thread_priority(); });
  EXPECT_EQ(lower_yet.niceness, low.niceness);
}

}  // namespace
}  // namespace tilth
