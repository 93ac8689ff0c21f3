#include "tests/simulation/simulated_store.h"

#include <algorithm>
#include <utility>

namespace tilth::testing {

Status SimulatedStore::commit(const RowBatch::Changes& changes) {
  auto kept = changes;
  if (world_.fails_once_in(60)) {
    if (world_.has(PlantedBug::kCommitIsTorn) && kept.size() > 1) {
      kept.erase(std::prev(kept.end()));
      apply(kept, *state_);
    }
    return Error{ErrorCode::kUnavailable, "The disk is full."};
  }
  if (world_.has(PlantedBug::kCommitLosesChanges) && kept.size() > 1 && world_.once_in(20)) {
    kept.erase(std::prev(kept.end()));
  }
  if (world_.has(PlantedBug::kReadersMissARow)) show_all_but_one(kept);
  if (state_.use_count() > 1) state_ = copy_of(*state_);  // a reader holds it
  apply(kept, *state_);
  written_.push_back(std::move(kept));
  if (world_.once_in(8)) flushed_ = written_.size();
  return kDone;
}

// Until the next commit.
void SimulatedStore::show_all_but_one(const RowBatch::Changes& changes) {
  auto seen = changes;
  const auto row = std::ranges::find_if(seen, [](const auto& change) {
    return change.first.substr(change.first.find('\0') + 1).starts_with('r');
  });
  if (row != seen.end()) seen.erase(row);
  seen_ = copy_of(*state_);
  apply(seen, *seen_);
}

void SimulatedStore::lose_power() {
  seen_.reset();
  const auto kept = flushed_ + world_.below(written_.size() - flushed_ + 1);
  for (std::size_t at = 0; at < written_.size(); ++at) {
    const bool later = world_.has(PlantedBug::kForgetsAfterACrash) && at > kept;
    if (at < kept || later) apply(written_[at], survived_);
  }
  written_.clear();
  flushed_ = 0;
  state_ = copy_of(survived_);
}

void SimulatedStore::apply(const RowBatch::Changes& changes, RowBatch& rows) {
  for (const auto& [key, value] : changes) value ? rows.put(key, *value) : rows.erase(key);
}

std::shared_ptr<RowBatch> SimulatedStore::copy_of(const RowBatch& rows) {
  auto copy = std::make_shared<RowBatch>();
  copy->put_all(rows.changes());
  return copy;
}

}  // namespace tilth::testing
