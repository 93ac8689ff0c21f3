// A lock under which one thread at a time runs the work of an executor. A thread that submits work
// takes it if it is free, since waking the executor's thread often takes longer than the work.

#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace tilth {

// A mutex whose try_lock() returns false to the thread that holds it. std::binary_semaphore of GCC
// 12 loses wake-ups.
class ExecutorLock {
 public:
  void lock() {
    held_.lock();
    holder_ = std::this_thread::get_id();
  }
  bool try_lock() {
    if (is_mine() || !held_.try_lock()) return false;
    holder_ = std::this_thread::get_id();
    return true;
  }
  void unlock() {
    holder_ = std::thread::id();
    held_.unlock();
  }
  bool is_mine() const { return holder_ == std::this_thread::get_id(); }

 private:
  std::mutex held_;
  std::atomic<std::thread::id> holder_;
};

}  // namespace tilth
