// Tells those who follow a stream of new records.

#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tilth {

// Threads: any. Without listeners, a ring only reads one number.
class StreamBell {
 public:
  // Listens to one stream during its lifetime. `on_ring` is called on the ringing thread, perhaps
  // once more after the listener is destroyed; it must not block.
  class Listener {
   public:
    Listener(StreamBell& bell, const std::string& stream, std::function<void()> on_ring)
        : bell_(bell) {
      const std::lock_guard lock(bell_.mutex_);
      entry_ = bell_.listeners_.emplace(stream, std::move(on_ring));
      ++bell_.listening_;
    }
    ~Listener() {
      const std::lock_guard lock(bell_.mutex_);
      bell_.listeners_.erase(entry_);
      --bell_.listening_;
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

   private:
    StreamBell& bell_;
    std::multimap<std::string, std::function<void()>>::iterator entry_;
  };

  void ring(const std::string& stream) {
    if (listening_ == 0) return;
    std::vector<std::function<void()>> called;
    {
      const std::lock_guard lock(mutex_);
      const auto [first, last] = listeners_.equal_range(stream);
      for (auto each = first; each != last; ++each) called.push_back(each->second);
    }
    for (const auto& on_ring : called) on_ring();
  }

 private:
  std::atomic<int> listening_ = 0;
  std::mutex mutex_;
  std::multimap<std::string, std::function<void()>> listeners_;
};

}  // namespace tilth
