// Keeps a projection's rows in memory, for nodes that live in a test.

#pragma once

#include <memory>
#include <mutex>

#include "projections/projection_store.h"

namespace tilth::testing {

// Threads: as ProjectionStore says. Survives no crash of the process; a projector that is made anew
// over it finds what was committed.
class MemoryProjectionStore final : public ProjectionStore {
 public:
  const RowReader& newest() const override { return *state_; }

  std::shared_ptr<const RowReader> snapshot() const override {
    const std::lock_guard lock(mutex_);
    return state_;
  }

  Status commit(const RowBatch::Changes& changes) override {
    const std::lock_guard lock(mutex_);
    if (state_.use_count() > 1) {  // somebody reads it
      auto copy = std::make_shared<RowBatch>();
      for (const auto& [key, value] : state_->changes()) copy->put(key, *value);
      state_ = std::move(copy);
    }
    for (const auto& [key, value] : changes) {
      value ? state_->put(key, *value) : state_->erase(key);
    }
    return kDone;
  }

  // All that is kept, to compare with another's.
  const RowBatch::Changes& kept() const { return state_->changes(); }

 private:
  mutable std::mutex mutex_;  // guards which state is the newest
  std::shared_ptr<RowBatch> state_ = std::make_shared<RowBatch>();
};

}  // namespace tilth::testing
