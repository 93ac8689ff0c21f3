// A lock for whoever brings work and would do it at once if nobody is at it: to wake the thread
// that does such work otherwise often takes longer than the work.

#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace tilth {

// A mutex whose try_lock() may also be asked by the thread that holds it, and is false then.
// std::binary_semaphore would do, but that of GCC 12 forgets to wake who waits.
class Turn {
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
