#include "api/access_lease.h"

#include <atomic>
#include <string>
#include <utility>

#include "projections/user.h"

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kPatience{2'000};

}  // namespace

struct AccessLease::State {
  State(EventLog& of, CommandLoop& loop)
      : log(of), partition(of.partition_of(kAccessStream)), access(&loop) {}

  EventLog& log;
  const int partition;
  std::mutex mutex;     // guards access
  CommandLoop* access;  // null: the lease is gone
  std::atomic<std::int64_t> until = 0;
  std::atomic<bool> renewing = false;

  void renew(SleeplessClock::time_point asked) {
    const auto end = (asked + kLength).time_since_epoch().count();
    auto known = until.load();
    while (known < end && !until.compare_exchange_weak(known, end)) {
    }
  }
};

AccessLease::AccessLease(EventLog& log, CommandLoop& access, AlsoHolds also_holds)
    : state_(std::make_shared<State>(log, access)),
      also_holds_(std::move(also_holds)),
      thread_([this] { run(); }) {}

AccessLease::~AccessLease() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
  const std::lock_guard lock(state_->mutex);
  state_->access = nullptr;
}

Error AccessLease::has_not_heard() {
  return {.code = ErrorCode::kUnavailable,
          .message =
              "This node has not heard from the log for a while, and cannot tell whether a "
              "key still opens it.",
          .retry_after_seconds = 1};
}

bool AccessLease::holds() const {
  const bool in_time = SleeplessClock::now().time_since_epoch().count() < state_->until;
  return in_time && (!also_holds_ || also_holds_());
}

void AccessLease::when_present(Done done) {
  const auto asked = SleeplessClock::now();
  state_->log.end(state_->partition,
                  [state = state_, asked, done = std::move(done)](const Result<std::int64_t>& end) {
                    if (!end) return done(false);
                    auto read = [state, asked, done](bool reached) {
                      if (reached) state->renew(asked);
                      done(reached);
                    };
                    std::unique_lock lock(state->mutex);
                    if (state->access != nullptr && *end > 0) {
                      return state->access->when_reached({}, {state->partition, *end - 1},
                                                         kPatience, std::move(read));
                    }
                    const bool alive = state->access != nullptr;
                    lock.unlock();
                    alive ? read(true) : done(false);
                  });
}

void AccessLease::when_all_know(Done done) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace_back(SleeplessClock::now() + kLength + kPaceMargin, std::move(done));
}

void AccessLease::run() {
  std::unique_lock lock(mutex_);
  auto renew_at = SleeplessClock::now();
  while (!stopping_) {
    const auto now = SleeplessClock::now();
    std::vector<Done> due;
    auto next = renew_at;
    std::erase_if(waiting_, [&](auto& each) {
      if (each.first <= now)
        due.push_back(std::move(each.second));
      else
        next = std::min(next, each.first);
      return each.first <= now;
    });
    const bool renew = renew_at <= now;
    if (renew) next = renew_at = now + kRenewEvery;
    lock.unlock();
    for (const auto& done : due) done(true);
    if (renew && !state_->renewing.exchange(true)) {
      when_present([state = state_](bool) { state->renewing = false; });
    }
    lock.lock();
    changed_.wait_for(lock, next - now, [this] { return stopping_; });
  }
  for (const auto& [when, done] : std::exchange(waiting_, {})) done(false);
}

}  // namespace tilth
