// Long-running work runs outside of the server's own threads.

#include "api/platform/thread_pool.h"

#include <atomic>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace tilth {
namespace {

TEST(ThreadPool, DoesWhatIsPostedOnOtherThreads) {
  ThreadPool workers(2, 10);
  std::promise<std::thread::id> done;
  ASSERT_TRUE(workers.post([&] { done.set_value(std::this_thread::get_id()); }));
  EXPECT_NE(done.get_future().get(), std::this_thread::get_id());
}

TEST(ThreadPool, TakesNoMoreThanMayWait) {
  std::promise<void> begun, go_on;
  ThreadPool workers(1, 2);
  ASSERT_TRUE(workers.post([&] {
    begun.set_value();
    go_on.get_future().wait();
  }));
  begun.get_future().wait();
  EXPECT_TRUE(workers.post([] {}));
  EXPECT_TRUE(workers.post([] {}));
  EXPECT_FALSE(workers.post([] {}));
  go_on.set_value();
}

TEST(ThreadPool, DropsAtItsEndWhatHasNotBegun) {
  std::promise<void> begun, go_on;
  const auto kept = std::make_shared<int>();
  std::atomic<bool> ran = false;
  auto workers = std::make_unique<ThreadPool>(1, 2);
  ASSERT_TRUE(workers->post([&] {
    begun.set_value();
    go_on.get_future().wait();
  }));
  begun.get_future().wait();
  ASSERT_TRUE(workers->post([&ran, kept] { ran = true; }));
  std::thread ending([&] { workers.reset(); });
  while (kept.use_count() > 1) std::this_thread::yield();
  go_on.set_value();
  ending.join();
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace tilth
