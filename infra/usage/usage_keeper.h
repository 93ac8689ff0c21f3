// Persists the rate limiter's counts while the service runs.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "api/usage/rate_limiter.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// Operation: takes what the limiter has counted and passes it to `keep`, periodically and once more
// at the end. What could not be stored stays with the limiter and is passed again together with
// later changes; `log` receives a message about that at most once a minute, and another on
// recovery.
//
// Threads: one of its own, which calls `keep` and `log`.
//
// Crash: what was counted since the last round is lost.
class UsageKeeper {
 public:
  using Keep = std::function<Status(const std::vector<RateLimiter::Change>&, Timestamp now)>;
  using Log = std::function<void(std::string_view)>;

  // All must outlive the keeper.
  UsageKeeper(RateLimiter& limiter, const Clock& clock, Keep keep, Log log,
              std::chrono::milliseconds every = std::chrono::milliseconds(500));
  ~UsageKeeper() { stop(); }

  // Starts the next round now. Threads: any.
  void wake();

  // Stores once more, and ends. Call it when no more requests are served.
  void stop();

 private:
  void run();
  void keep_once();
  void log_failure(const Error& error);

  RateLimiter& limiter_;
  const Clock& clock_;
  const Keep keep_;
  const Log log_;
  const std::chrono::milliseconds every_;

  std::mutex mutex_;  // guards the two
  std::condition_variable called_;
  bool stopping_ = false, woken_ = false;

  // Used only by its thread.
  bool failing_ = false;
  std::optional<std::chrono::steady_clock::time_point> logged_at_;

  std::thread thread_;
};

}  // namespace tilth
