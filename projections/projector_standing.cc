// How a projector stands: what it was ordered, what keeps it from going on, and how far it is.

#include <iterator>
#include <utility>

#include "projections/projector.h"

namespace tilth {

void Projector::obey(StandingOrders orders) {
  const std::lock_guard lock(mutex_);
  orders_ = std::move(orders);
  passed_over_.clear();
  for (const auto& skipped : orders_.skipped) {
    passed_over_.emplace(skipped.partition, skipped.offset);
  }
  if (const auto& poison = progress_.poison) {
    const auto& [partition, offset] = poison->position;
    if (passed_over_.contains({partition, offset})) {
      progress_.poison.reset();
      fault_.reset();
    }
  }
  take_stand();
}

// As its faults and its orders say. Under the lock.
void Projector::take_stand() {
  const auto& why = fault_ ? fault_ : rows_fault_;
  const bool paused = orders_.paused;
  standing_ = why ? Standing::kFaulted : paused ? Standing::kPaused : Standing::kFollows;
  progress_.state = why      ? ProjectionState::kFaulted
                    : paused ? ProjectionState::kPaused
                             : ProjectionState::kCatchingUp;
  progress_.reason = why ? why->message : paused ? std::string(kPausedByAnOperator) : "";
  progress_.held_up = false;
  if (!why) lacks_events_ = false;  // as far as is known; follow() looks
}

// What waited for the end of a removal is told here: in the other rows it is over.
void Projector::adopt(ProjectionStore& store) {
  std::vector<Untold> untold;
  {
    const std::lock_guard lock(mutex_);
    store_ = &store;
    versions_.clear();
    if (!rows_fault_) return;
    for (auto& [stream, unfinished] : sweeps_) {
      std::move(unfinished.untold.begin(), unfinished.untold.end(), std::back_inserter(untold));
    }
    sweeps_.clear();
    held_.clear();
    rows_fault_.reset();
    unreadable_ = false;
    take_stand();
  }
  tell(std::move(untold));
}

void Projector::cannot_read(const UnreadableRows& rows) {
  const std::lock_guard lock(mutex_);
  if (rows_fault_ || !store_->holds(rows)) return;
  rows_fault_ = Error{ErrorCode::kDamaged, rows.what()};
  unreadable_ = true;
  take_stand();
}

// For whoever asks how it stands.
void Projector::note(const Result<bool>& followed) {
  const bool held_up = !followed && followed.error().code == ErrorCode::kUnavailable;
  if (!held_up && !held_up_) return;
  const std::lock_guard lock(mutex_);
  held_up_ = held_up && standing_ == Standing::kFollows;
  if (standing_ != Standing::kFollows) return;
  progress_.held_up = held_up;
  progress_.reason = held_up ? followed.error().message : "";
  if (held_up) progress_.state = ProjectionState::kCatchingUp;
}

ProjectionProgress Projector::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

void Projector::publish(std::optional<Timestamp> last_time, std::size_t folded) {
  const std::lock_guard lock(mutex_);
  progress_.next.clear();
  for (const auto& [partition, offset] : next_) progress_.next.push_back({partition, offset});
  progress_.folded += folded;
  progress_.pace.folded(folded, Pace::Steady::now());
  if (last_time) progress_.last_time = last_time;
}

void Projector::set_running() {
  const std::lock_guard lock(mutex_);
  if (standing_ != Standing::kFollows) return;  // somebody has met what cannot be read
  progress_.state = ProjectionState::kRunning;
  progress_.pace.caught_up(Pace::Steady::now());
}

std::optional<Error> Projector::fault() const {
  if (!faulted()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return fault_ ? fault_ : rows_fault_;
}

Error Projector::fault(Error error, std::optional<Poison> poison) {
  lacks_events_ = true;
  const std::lock_guard lock(mutex_);
  fault_ = error;
  progress_.poison = std::move(poison);
  take_stand();
  return error;
}

}  // namespace tilth
