#include "api/access_lease.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "projections/user.h"

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kPatience{2'000}, kBeforeLookingAgain{10};

using Instant = SleeplessClock::time_point;
using Waiting = std::vector<std::pair<Instant, AccessLease::Done>>;

// Takes out those whose time has come.
std::vector<AccessLease::Done> take_due(Waiting& waiting, Instant now) {
  std::vector<AccessLease::Done> due;
  std::erase_if(waiting, [&](auto& each) {
    const bool is_due = each.first <= now;
    if (is_due) due.push_back(std::move(each.second));
    return is_due;
  });
  return due;
}

}  // namespace

struct AccessLease::State {
  State(EventLog& of, CommandLoop& loop, AlsoHolds also)
      : log(of),
        partition(of.partition_of(kAccessStream)),
        also_holds(std::move(also)),
        access(&loop) {}

  void renew(Instant asked) {
    const auto end = (asked + kLength).time_since_epoch().count();
    auto known = until.load();
    while (known < end && !until.compare_exchange_weak(known, end)) {
    }
  }
  bool other_holds() const { return !also_holds || also_holds(); }

  EventLog& log;
  const int partition;
  const AlsoHolds also_holds;
  std::atomic<std::int64_t> until = 0;
  std::atomic<bool> renewing = false;

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  CommandLoop* access;   // null: the lease is gone
  Waiting believing;     // told when nobody believes any more what was overtaken
  Waiting other_doubts;  // told when the other condition holds, or that it does not
};

AccessLease::AccessLease(EventLog& log, CommandLoop& access, AlsoHolds also_holds)
    : state_(std::make_shared<State>(log, access, std::move(also_holds))),
      thread_([this] { run(); }) {}

AccessLease::~AccessLease() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->access = nullptr;
  }
  state_->changed.notify_one();
  thread_.join();
}

Error AccessLease::has_not_heard() {
  return {.code = ErrorCode::kUnavailable,
          .message =
              "This node has not heard from the log for a while, and cannot tell whether a "
              "key still opens it.",
          .retry_after_seconds = 1};
}

bool AccessLease::holds() const {
  return SleeplessClock::now().time_since_epoch().count() < state_->until && state_->other_holds();
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

void AccessLease::when_it_holds(Done done) {
  when_present([state = state_, done = std::move(done)](bool present) {
    if (!present || state->other_holds()) return done(present);
    {
      const std::lock_guard lock(state->mutex);
      if (state->access != nullptr) {
        state->other_doubts.emplace_back(SleeplessClock::now() + kPatience, done);
        state->changed.notify_one();
        return;
      }
    }
    done(false);
  });
}

void AccessLease::when_all_know(Done done) {
  const std::lock_guard lock(state_->mutex);
  state_->believing.emplace_back(SleeplessClock::now() + kLength + kPaceMargin, std::move(done));
  state_->changed.notify_one();
}

void AccessLease::run() {
  auto& state = *state_;
  auto renew_at = SleeplessClock::now();
  std::unique_lock lock(state.mutex);
  while (state.access != nullptr) {
    const auto now = SleeplessClock::now();
    const bool other_holds = state.other_doubts.empty() || state.other_holds();
    const auto settled = other_holds ? Instant::max() : now;
    const auto know = take_due(state.believing, now);
    const auto told = take_due(state.other_doubts, settled);
    const bool renew = renew_at <= now;
    if (renew) renew_at = now + kRenewEvery;
    auto next = state.other_doubts.empty() ? renew_at : now + kBeforeLookingAgain;
    for (const auto& each : state.believing) next = std::min(next, each.first);
    lock.unlock();
    for (const auto& done : know) done(true);
    for (const auto& done : told) done(other_holds);
    if (renew && !state.renewing.exchange(true)) {
      when_present([shared = state_](bool) { shared->renewing = false; });
    }
    lock.lock();
    if (state.access != nullptr) state.changed.wait_for(lock, next - SleeplessClock::now());
  }
  const auto gone = {std::exchange(state.believing, {}), std::exchange(state.other_doubts, {})};
  lock.unlock();
  for (const auto& waiting : gone) {
    for (const auto& [when, done] : waiting) done(false);
  }
}

}  // namespace tilth
