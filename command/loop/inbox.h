// A queue that any thread fills with work for a single consumer.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace tilth {

class Inbox {
 public:
  using Work = std::vector<std::function<void()>>;

  explicit Inbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void post(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
      if (work_.size() > 1) return;
    }
    posted_.notify_one();
    const std::lock_guard lock(waking_);
    if (wake_) wake_();
  }
  Work take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(work_, {});
  }
  // Waits up to `timeout` for work.
  void rest(std::chrono::milliseconds timeout) {
    if (timeout <= std::chrono::milliseconds(0)) return;  // a wait would still yield the processor
    std::unique_lock lock(mutex_);
    posted_.wait_for(lock, timeout, [this] { return !work_.empty(); });
  }
  // After this the consumer is gone, and is not woken.
  void close() {
    const std::lock_guard lock(waking_);
    wake_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Work work_;
  std::condition_variable posted_;
  std::mutex waking_;  // separate: the consumer must not wake into a lock that is still held
  std::function<void()> wake_;
};

}  // namespace tilth
