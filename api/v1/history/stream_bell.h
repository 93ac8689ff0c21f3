// Wakes threads that wait for new records of a stream.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace tilth {

// Threads: any. Without listeners, a ring only reads one number.
class StreamBell {
 public:
  // Listens to one stream during its lifetime. Belongs to one thread.
  class Listener {
   public:
    Listener(StreamBell& bell, const std::string& stream) : bell_(bell) {
      const std::lock_guard lock(bell_.mutex_);
      entry_ = bell_.listeners_.emplace(stream, this);
      ++bell_.listening_;
    }
    ~Listener() {
      const std::lock_guard lock(bell_.mutex_);
      bell_.listeners_.erase(entry_);
      --bell_.listening_;
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Waits until the bell has rung since the last wait, or for `at_most`. Returns whether it rang.
    bool wait(std::chrono::milliseconds at_most) {
      std::unique_lock lock(bell_.mutex_);
      rung_.wait_for(lock, at_most, [this] { return heard_; });
      return std::exchange(heard_, false);
    }

   private:
    friend class StreamBell;
    StreamBell& bell_;
    std::multimap<std::string, Listener*>::iterator entry_;
    std::condition_variable rung_;
    bool heard_ = false;
  };

  void ring(const std::string& stream) {
    if (listening_ == 0) return;
    const std::lock_guard lock(mutex_);
    const auto [first, last] = listeners_.equal_range(stream);
    for (auto each = first; each != last; ++each) {
      each->second->heard_ = true;
      each->second->rung_.notify_one();
    }
  }

 private:
  std::atomic<int> listening_ = 0;
  std::mutex mutex_;  // guards the members below, and `heard_`
  std::multimap<std::string, Listener*> listeners_;
};

}  // namespace tilth
