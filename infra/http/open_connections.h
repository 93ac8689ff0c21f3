// The number of open connections: for the limit, the gauge, and a drain that waits for the last
// one.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace tilth {

// Threads: any.
class OpenConnections {
 public:
  explicit OpenConnections(std::function<void(std::int64_t)> tell) : tell_(std::move(tell)) {}

  std::int64_t add(std::int64_t change) {
    const std::lock_guard lock(mutex_);
    count_ += change;
    tell_(count_);  // under the lock, so that the gauge ends up right
    if (count_ == 0) none_.notify_all();
    return count_;
  }

  bool wait_for_none(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return none_.wait_for(lock, at_most, [&] { return count_ == 0; });
  }

 private:
  const std::function<void(std::int64_t)> tell_;
  std::mutex mutex_;
  std::condition_variable none_;
  std::int64_t count_ = 0;
};

}  // namespace tilth
