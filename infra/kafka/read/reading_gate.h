// Blocks the readers of a log while an import fills it, and for good once it is no longer the log
// that they have read.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "events/values/result.h"

namespace tilth {

// Open at first. Threads: any.
class ReadingGate {
 public:
  void close() { open_ = false; }
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }
  bool is_open() const { return open_ && !is_shut_; }

  // Closes it for good. The first reason counts.
  void shut(Error why) {
    {
      const std::lock_guard lock(mutex_);
      if (is_shut_) return;
      why_ = std::move(why);
      is_shut_ = true;
    }
    changed_.notify_all();
  }
  std::optional<Error> shut_because() const {
    if (!is_shut_) return std::nullopt;
    const std::lock_guard lock(mutex_);
    return why_;
  }

  // Waits up to `timeout` for it to open, unless it is shut; returns whether it is open.
  bool wait(std::chrono::milliseconds timeout) {
    if (is_open()) return true;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [this] { return open_ || is_shut_; });
    return is_open();
  }

 private:
  std::atomic<bool> open_ = true, is_shut_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Error> why_;
};

}  // namespace tilth
