#include "projections/fold/progress_tracker.h"

#include <algorithm>
#include <string>

namespace tilth {

void ProgressTracker::apply_overrides(const OperatorOverrides& overrides) {
  const std::lock_guard lock(mutex_);
  paused_ = overrides.paused;
  skipped_.clear();
  for (const auto& skipped : overrides.skipped) {
    skipped_.emplace(skipped.partition, skipped.offset);
  }
  if (progress_.poison && skips(progress_.poison->position)) {
    progress_.poison.reset();
    fault_.reset();
  }
  refresh_state();
}

Error ProgressTracker::set_fault(Error error, std::optional<Poison> poison) {
  lacks_events_ = true;
  const std::lock_guard lock(mutex_);
  fault_ = error;
  progress_.poison = std::move(poison);
  refresh_state();
  return error;
}

void ProgressTracker::set_rows_fault(Error error) {
  const std::lock_guard lock(mutex_);
  if (rows_fault_) return;
  rows_fault_ = std::move(error);
  unreadable_ = true;
  refresh_state();
}

bool ProgressTracker::clear_rows_fault() {
  const std::lock_guard lock(mutex_);
  if (!rows_fault_) return false;
  rows_fault_.reset();
  unreadable_ = false;
  refresh_state();
  return true;
}

std::optional<Error> ProgressTracker::fault() const {
  if (!faulted()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return fault_ ? fault_ : rows_fault_;
}

void ProgressTracker::note_followed(const Result<bool>& followed) {
  const bool held_up = !followed && followed.error().code == ErrorCode::kUnavailable;
  if (!held_up && !held_up_) return;
  const std::lock_guard lock(mutex_);
  held_up_ = held_up && !is_halted();
  if (is_halted()) return;
  progress_.held_up = held_up;
  progress_.reason = held_up ? followed.error().message : "";
  if (held_up) progress_.state = ProjectionState::kCatchingUp;
}

void ProgressTracker::set_running() {
  const std::lock_guard lock(mutex_);
  if (is_halted()) return;  // another thread has found rows that cannot be read
  progress_.state = ProjectionState::kRunning;
  progress_.pace.caught_up(FoldRate::Steady::now());
}

void ProgressTracker::publish(const std::map<int, std::int64_t>& next,
                              std::optional<Timestamp> last_time, std::size_t folded) {
  const std::lock_guard lock(mutex_);
  progress_.next.clear();
  for (const auto& [partition, offset] : next) progress_.next.push_back({partition, offset});
  progress_.folded += folded;
  progress_.pace.folded(folded, FoldRate::Steady::now());
  if (last_time) progress_.last_time = last_time;
}

void ProgressTracker::start_over() {
  const std::lock_guard lock(mutex_);
  progress_.poison.reset();
  progress_.last_time.reset();
  fault_.reset();
  rows_fault_.reset();
  unreadable_ = false;
  refresh_state();
}

ProjectionProgress ProgressTracker::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

bool ProgressTracker::has_read(const Position& position) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(progress_.next, [&](const auto& next) {
    return next.partition == position.partition && next.offset > position.offset;
  });
}

bool ProgressTracker::has_read_any() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(progress_.next, [](const auto& next) { return next.offset > 0; });
}

// Derives the state from the faults and the overrides. Requires the lock.
void ProgressTracker::refresh_state() {
  const auto& why = fault_ ? fault_ : rows_fault_;
  stop_ = why ? Stop::kFaulted : paused_ ? Stop::kPaused : Stop::kNone;
  progress_.state = why       ? ProjectionState::kFaulted
                    : paused_ ? ProjectionState::kPaused
                              : ProjectionState::kCatchingUp;
  progress_.reason = why ? why->message : paused_ ? std::string(kPausedByAnOperator) : "";
  progress_.held_up = false;
  if (!why) lacks_events_ = false;  // as far as is known; follow() checks
}

}  // namespace tilth
