// What a thread does that takes turns until it is stopped.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>

#include "events/values/result.h"

namespace tilth {

// Calls `turn` again and again until a stop is requested; after one that failed, it waits
// `retry_delay` first. Ends at once then, but for a turn under way.
inline void run_turns(const std::stop_token& stop, const std::function<Status()>& turn,
                      std::chrono::milliseconds retry_delay) {
  std::mutex mutex;
  std::condition_variable_any stopping;
  while (!stop.stop_requested()) {
    if (turn()) continue;
    std::unique_lock lock(mutex);
    stopping.wait_for(lock, stop, retry_delay, [] { return false; });
  }
}

}  // namespace tilth
