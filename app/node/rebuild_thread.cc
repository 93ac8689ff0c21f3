#include "app/node/rebuild_thread.h"

#include <algorithm>
#include <future>
#include <utility>

#include "api/platform/thread_name.h"
#include "app/node/bulk_fill.h"
#include "app/node/loop_call.h"
#include "events/json/described.h"
#include "infra/system/thread_priority.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kBeforeLookingAgain = 50ms;
constexpr auto kAfterAnError = 200ms;
constexpr auto kMeasuredOver = 1s, kForgottenAfter = 30s;
constexpr int kPagesAtASwitch = 4;  // commands wait meanwhile

std::vector<Position> beginning(const std::vector<int>& partitions) {
  std::vector<Position> beginning;
  for (const int each : partitions) beginning.push_back({each, 0});
  return beginning;
}

std::string described(int generation, const Comparison& comparison) {
  const auto& first = comparison.differences.front();
  return "Generation " + std::to_string(generation) + " differs from the live rows in " +
         std::to_string(comparison.found) +
         " places; the first: " + (first.stream.empty() ? "" : first.stream + ", ") + first.what +
         " is " +
         std::string(first.live == DifferenceKind::kOther ? "another" : name_of(first.live)) +
         " in the live ones.";
}

}  // namespace

RebuildThread::RebuildThread(const Parts& parts, Generations::Store generation,
                             OperatorOverrides overrides, Choices choices)
    : parts_(parts),
      choices_(choices),
      generation_(generation->generation()),
      stopped_(choices.stopped),
      next_(beginning(parts.projection.partitions_of(parts.log))),
      thread_([this, generation = std::move(generation),
               overrides = std::move(overrides)](const std::stop_token& stop) mutable {
        name_thread("rebuild");
        run(stop, generation, std::move(overrides));
      }) {}

RebuildThread::~RebuildThread() { end(); }

void RebuildThread::end() { thread_.request_stop(); }

void RebuildThread::end_and_wait() {
  end();
  thread_.join();
}

void RebuildThread::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

void RebuildThread::go_on() {
  const std::lock_guard lock(mutex_);
  stopped_ = false;
  changed_.notify_all();
}

void RebuildThread::apply_overrides(OperatorOverrides overrides) {
  const std::lock_guard lock(mutex_);
  new_overrides_ = std::move(overrides);
}

std::optional<BuildingGeneration> RebuildThread::standing() const {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::kSwitched) return std::nullopt;
  const bool halted = phase_ == Phase::kDiffers || phase_ == Phase::kFaulted;
  const bool stands = stopped_ || halted || Steady::now() - measured_at_ > kForgottenAfter;
  return BuildingGeneration{generation_,
                            halted                    ? ProjectionState::kFaulted
                            : stopped_                ? ProjectionState::kPaused
                            : phase_ == Phase::kWaits ? ProjectionState::kRunning
                                                      : ProjectionState::kRebuilding,
                            next_, stands ? 0 : events_per_second_};
}

std::string RebuildThread::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

Status RebuildThread::order_switch() {
  const std::lock_guard lock(mutex_);
  const auto refused = [this](const char* why) {
    return Error{ErrorCode::kConflict, "Generation " + std::to_string(generation_) + why};
  };
  if (stopped_) return refused(" is stopped: resume it first.");
  if (phase_ != Phase::kWaits && phase_ != Phase::kDiffers) {
    return refused(" has not caught up and been compared yet.");
  }
  switch_ordered_ = true;
  changed_.notify_all();
  return kDone;
}

Status RebuildThread::wait_switched() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return ends_ || phase_ == Phase::kSwitched || phase_ == Phase::kFaulted ||
           (phase_ == Phase::kDiffers && !switch_ordered_);
  });
  if (phase_ == Phase::kSwitched) return kDone;
  // First: the thread of one that has failed ends, too.
  if (phase_ == Phase::kFaulted || phase_ == Phase::kDiffers) {
    return Error{ErrorCode::kConflict, reason_};
  }
  return Error{ErrorCode::kUnavailable, "The service ends."};
}

void RebuildThread::run(const std::stop_token& stop, const Generations::Store& generation,
                        OperatorOverrides overrides) {
  try {
    build(stop, generation, std::move(overrides));
  } catch (const UnreadableRows& rows) {
    fail(rows.what());
  }
  const std::lock_guard lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

void RebuildThread::build(const std::stop_token& stop, const Generations::Store& generation,
                          OperatorOverrides overrides) {
  const auto filled = fill(stop, *generation, overrides);
  Refold fold(parts_.log, *generation, parts_.projection);
  if (const auto opened = fold.open(std::move(overrides)); !opened) {
    fail(opened.error().message);
  }
  bool compared = !choices_.compares;
  std::string trouble;
  while (proceed(stop, fold)) {
    const auto there = fold.advance(parts_.loop.projector().progress().next);
    const auto progress = fold.progress();
    publish(progress.next, filled + progress.folded);
    if (!there && there.error().code != ErrorCode::kUnavailable) {
      fail(there.error().message);
    } else if (!there) {
      if (std::exchange(trouble, there.error().message) != there.error().message) {
        parts_.log_lines.warn("The rebuild of a projection cannot continue, and is tried again.",
                              {{"projection", parts_.projection.title()}, {"reason", trouble}});
      }
      rest(stop, kAfterAnError);
    } else if (*there && !compared) {
      compared = compare(stop, fold, *generation);
    } else if (*there && may_switch(stop) && try_switch(stop, fold, generation)) {
      break;
    }
  }
}

void RebuildThread::fail(const std::string& reason) {
  parts_.log_lines.error(
      "A projection cannot be rebuilt.",
      {{"projection", parts_.projection.title()}, {"generation", generation_}, {"reason", reason}});
  enter(Phase::kFaulted, reason);
}

std::uint64_t RebuildThread::fill(const std::stop_token& stop, RocksStore& generation,
                                  const OperatorOverrides& overrides) {
  if (!may_go_on(stop)) return 0;
  const auto on_progress = [&](const auto& progress) {
    publish(progress.next, progress.folded);
    return may_go_on(stop);
  };
  return fill_in_bulk(parts_.log, parts_.log_lines,
                      {{{parts_.projection, generation, overrides}, on_progress}},
                      parts_.loop.projector().progress().next)
      .front();
}

// Waits while an operator has stopped it; false at the end.
bool RebuildThread::may_go_on(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [this] { return !stopped_; });
  return !stop.stop_requested();
}

bool RebuildThread::proceed(const std::stop_token& stop, Refold& fold) {
  if (!may_go_on(stop)) return false;
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::kFaulted) return false;
  if (new_overrides_) fold.apply_overrides(*std::exchange(new_overrides_, std::nullopt));
  return true;
}

bool RebuildThread::goes_on(const std::stop_token& stop) const {
  const std::lock_guard lock(mutex_);
  return !stop.stop_requested() && !stopped_;
}

void RebuildThread::rest(const std::stop_token& stop, std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, at_most, [] { return false; });
}

bool RebuildThread::compare(const std::stop_token& stop, Refold& fold,
                            const RocksStore& generation) {
  auto& live = parts_.loop.projector();
  try {
    if (!live.unreadable()) return compare_rows(stop, fold);
  } catch (const UnreadableRows& rows) {
    if (generation.holds(rows)) throw;
    live.cannot_read(rows);
  }
  // Nothing more is folded into unreadable rows, so they will never catch up.
  if (live.unreadable() && fold.is_beyond(live.progress().next)) {
    fail("Generation " + std::to_string(generation_) +
         " has read further than the live rows, which cannot be read. Build another one.");
    return false;
  }
  return leave_uncompared();
}

// There is nothing to compare with; the generation follows from the log.
bool RebuildThread::leave_uncompared() {
  parts_.log_lines.warn("A projection is rebuilt and compared with nothing.",
                        {{"projection", parts_.projection.title()}, {"generation", generation_}});
  if (choices_.manual) {
    enter(Phase::kWaits, "Generation " + std::to_string(generation_) + " waits to be switched to.");
  }
  return true;
}

// Compares with a state of the live rows that has no removal in progress and is not behind. Returns
// whether it did.
bool RebuildThread::compare_rows(const std::stop_token& stop, Refold& fold) {
  const auto read = parts_.loop.projector().progress().next;  // before the state, which has it
  const auto live = parts_.loop.projector().view({})->state;
  const auto at = Projector::checkpoint_of(*live, parts_.projection.partitions_of(parts_.log));
  if (!at || fold.is_beyond(read)) {
    rest(stop, kBeforeLookingAgain);
    return false;
  }
  while (goes_on(stop)) {
    const auto there = fold.advance(*at);
    if (!there) return false;  // the next attempt reports the error
    if (*there) break;
  }
  const auto compared =
      std::async(std::launch::async, [&] {
        name_thread("comparison");
        lower_thread_priority();
        return fold.compare_with(*live, parts_.clock.now(), [&] { return goes_on(stop); });
      }).get();
  if (!compared) return false;
  if (compared->same()) {
    if (choices_.manual) {
      enter(Phase::kWaits, "Generation " + std::to_string(generation_) +
                               " is the same as the live rows and waits to be switched to.");
    }
    return true;
  }
  auto reason = described(generation_, *compared);
  parts_.log_lines.warn("A projection that was rebuilt is another one, and is not read.",
                        {{"projection", parts_.projection.title()}, {"reason", reason}});
  enter(Phase::kDiffers, std::move(reason));
  return true;
}

// Whether it may switch; if that takes an operator, waits a moment for the request.
bool RebuildThread::may_switch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (phase_ == Phase::kFolds) return true;
  changed_.wait_for(lock, stop, kBeforeLookingAgain, [this] { return switch_ordered_; });
  return switch_ordered_;
}

bool RebuildThread::try_switch(const std::stop_token& stop, Refold& fold,
                               const Generations::Store& generation) {
  Status done = Error{ErrorCode::kUnavailable, "The live rows do not stand still."};
  bool was_unreadable = false;
  const auto work = [&] {
    auto& live = parts_.loop.projector();
    const auto ends = live.progress().next;
    if (fold.is_beyond(ends)) return;
    bool there = false;
    for (int page = 0; page < kPagesAtASwitch && live.no_cascade_pending() && !there; ++page) {
      const auto advanced = fold.advance(ends);
      if (!advanced) return;
      there = *advanced;
    }
    if (!there) return;
    was_unreadable = live.unreadable();
    done = parts_.generations.switch_to(generation);
    if (done) live.adopt(*generation);
  };
  if (!call_on_loop(parts_.loop, work, [&] { return stop.stop_requested(); })) return false;
  if (!done) {
    rest(stop, kBeforeLookingAgain);
    return false;
  }
  parts_.generations.close_unused();
  if (was_unreadable) static_cast<void>(parts_.generations.release_previous());  // no way back
  parts_.log_lines.info("A projection switched to another generation.",
                        {{"projection", parts_.projection.title()}, {"generation", generation_}});
  enter(Phase::kSwitched);
  return true;
}

void RebuildThread::publish(const std::vector<Position>& next, std::uint64_t folded) {
  const std::lock_guard lock(mutex_);
  next_ = next;
  const auto now = Steady::now();
  const std::chrono::duration<double> since = now - measured_at_;
  if (since < kMeasuredOver) return;
  events_per_second_ = static_cast<double>(folded - std::min(folded, measured_)) / since.count();
  measured_at_ = now;
  measured_ = folded;
}

void RebuildThread::enter(Phase phase, std::string reason) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  reason_ = std::move(reason);
  changed_.notify_all();
}

}  // namespace tilth
