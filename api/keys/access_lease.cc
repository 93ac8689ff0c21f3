#include "api/keys/access_lease.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "projections/access/user.h"

namespace tilth {
namespace {

constexpr std::chrono::milliseconds kTimeout{2'000}, kReportTimeout{5'000};
constexpr std::chrono::milliseconds kBeforeLookingAgain{10};

using Instant = SleeplessClock::time_point;
// Each with a time: when it began to wait, or until when it waits.
using Waiting = std::vector<std::pair<Instant, AccessLease::Done>>;

template <class Is>
Waiting take_if(Waiting& waiting, Is is) {
  Waiting taken;
  std::erase_if(waiting, [&](auto& each) {
    const bool take = is(each.first);
    if (take) taken.push_back(std::move(each));
    return take;
  });
  return taken;
}

void tell(const Waiting& waiting, bool what) {
  for (const auto& [time, done] : waiting) done(what);
}

}  // namespace

struct AccessLease::State {
  State(EventLog& of, CommandLoop& loop, Others all)
      : log(of), partition(of.partition_of(kAccessStream)), others(std::move(all)), access(&loop) {}

  void renew(Instant asked) {
    const auto end = (asked + kLength).time_since_epoch().count();
    auto known = until.load();
    while (known < end && !until.compare_exchange_weak(known, end)) {
    }
  }
  EventLog& log;
  const int partition;
  const Others others;
  std::atomic<std::int64_t> until = 0;
  std::atomic<bool> renewing = false;

  std::mutex mutex;  // guards the members below
  std::condition_variable changed;
  CommandLoop* access;  // null: the lease is destroyed
  Waiting hearing;      // succeed once the others were heard, fail at their time
  Waiting telling;      // wait until the others can know what was known at their time
  Waiting believing;    // succeed at their time: no node relies on the old state
};

AccessLease::AccessLease(EventLog& log, CommandLoop& access, Others others)
    : state_(std::make_shared<State>(log, access, std::move(others))), thread_([this] { run(); }) {}

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
              "This node has not heard from the log for a while, and cannot say whether a "
              "key still opens it.",
          .retry_after_seconds = 1};
}

bool AccessLease::holds() const {
  return SleeplessClock::now().time_since_epoch().count() < state_->until && state_->others.heard();
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
                      return state->access->when_reached({}, {state->partition, *end - 1}, kTimeout,
                                                         std::move(read));
                    }
                    const bool alive = state->access != nullptr;
                    lock.unlock();
                    alive ? read(true) : done(false);
                  });
}

void AccessLease::when_it_holds(Done done) {
  when_present([state = state_, done = std::move(done)](bool present) {
    if (!present || state->others.heard()) return done(present);
    {
      const std::lock_guard lock(state->mutex);
      if (state->access != nullptr) {
        state->hearing.emplace_back(SleeplessClock::now() + kTimeout, done);
        state->changed.notify_one();
        return;
      }
    }
    done(false);
  });
}

void AccessLease::when_all_know(Done done) {
  const std::lock_guard lock(state_->mutex);
  state_->telling.emplace_back(SleeplessClock::now(), std::move(done));
  state_->changed.notify_one();
}

void AccessLease::run() {
  auto& state = *state_;
  auto renew_at = SleeplessClock::now();
  std::unique_lock lock(state.mutex);
  while (state.access != nullptr) {
    const auto now = SleeplessClock::now();
    for (auto& [since, done] : take_if(state.telling, state.others.told)) {
      state.believing.emplace_back(now + kLength + kPaceMargin, std::move(done));
    }
    const auto is_over = [&](Instant until) { return until <= now; };
    const auto heard = state.hearing.empty() || !state.others.heard()
                           ? Waiting()
                           : std::exchange(state.hearing, {});
    const auto unheard = take_if(state.hearing, is_over);
    const auto untold =
        take_if(state.telling, [&](Instant since) { return is_over(since + kReportTimeout); });
    const auto known = take_if(state.believing, is_over);
    const bool renew = renew_at <= now;
    if (renew) renew_at = now + kRenewEvery;
    const bool looks_again = !state.hearing.empty() || !state.telling.empty();
    auto next = looks_again ? now + kBeforeLookingAgain : renew_at;
    for (const auto& [until, done] : state.believing) next = std::min(next, until);
    lock.unlock();
    tell(heard, true);
    tell(known, true);
    tell(unheard, false);
    tell(untold, false);
    if (renew && !state.renewing.exchange(true)) {
      when_present([shared = state_](bool) { shared->renewing = false; });
    }
    lock.lock();
    if (state.access != nullptr) state.changed.wait_for(lock, next - SleeplessClock::now());
  }
  const auto gone = {std::exchange(state.hearing, {}), std::exchange(state.telling, {}),
                     std::exchange(state.believing, {})};
  lock.unlock();
  for (const auto& waiting : gone) tell(waiting, false);
}

}  // namespace tilth
