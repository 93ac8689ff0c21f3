// Work that may block, whose outcome is polled.

#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <utility>

namespace tilth {

// One piece of work at a time, on a thread of its own. Its end waits for that.
//
// Threads: one.
template <class Outcome>
class PolledWork {
 public:
  // Begins `work`, unless it is under way. Returns its outcome once it has ended: the next call
  // begins again. `on_end` is called on its thread once an outcome is there.
  std::optional<Outcome> poll(std::function<Outcome()> work, std::function<void()> on_end) {
    if (!outcome_.valid()) {
      std::packaged_task<Outcome()> task(std::move(work));
      outcome_ = task.get_future();
      thread_ = std::jthread([task = std::move(task), on_end = std::move(on_end)]() mutable {
        task();
        on_end();
      });
    }
    if (outcome_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      return std::nullopt;
    }
    return outcome_.get();
  }

 private:
  std::future<Outcome> outcome_;
  std::jthread thread_;
};

}  // namespace tilth
