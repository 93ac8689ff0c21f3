#include "infra/usage/usage_keeper.h"

#include <string>
#include <utility>

#include "api/platform/thread_name.h"

namespace tilth {

UsageKeeper::UsageKeeper(RateLimiter& limiter, const Clock& clock, Keep keep, Log log,
                         std::chrono::milliseconds every)
    : limiter_(limiter),
      clock_(clock),
      keep_(std::move(keep)),
      log_(std::move(log)),
      every_(every),
      thread_([this] { run(); }) {}

void UsageKeeper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  called_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void UsageKeeper::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  called_.notify_all();
}

void UsageKeeper::run() {
  name_thread("usage");
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex_);
      called_.wait_for(lock, every_, [this] { return stopping_ || woken_; });
      last = stopping_;
      woken_ = false;
    }
    keep_once();
  }
}

void UsageKeeper::keep_once() {
  const auto now = clock_.now();
  const auto changes = limiter_.take_changes(now);
  if (const auto kept = keep_(changes, now); !kept) {
    limiter_.not_kept(changes);
    return log_failure(kept.error());
  }
  if (std::exchange(failing_, false)) log_("The use of keys and limits is kept again.");
}

void UsageKeeper::log_failure(const Error& error) {
  failing_ = true;
  const auto now = std::chrono::steady_clock::now();
  if (logged_at_ && now - *logged_at_ < std::chrono::minutes(1)) return;
  logged_at_ = now;
  log_("The use of keys and limits cannot be kept, and would be forgotten at a restart: " +
       error.message);
}

}  // namespace tilth
