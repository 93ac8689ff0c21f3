// A projection's store whose disk is full now and then, as a test tells it.

#pragma once

#include "projections/projection_store.h"

namespace tilth::testing {

class FailingStore final : public ProjectionStore {
 public:
  explicit FailingStore(ProjectionStore& store) : store_(store) {}

  const RowReader& newest() const override { return store_.newest(); }
  std::shared_ptr<const RowReader> snapshot() const override { return store_.snapshot(); }
  Status commit(const RowBatch::Changes& changes) override {
    if (every_ > 0 && ++commits_ % every_ != 0) {
      return Error{ErrorCode::kUnavailable, "The disk is full."};
    }
    return store_.commit(changes);
  }

  // From now on only every so manieth commit succeeds.
  void fail_all_but_every(int nth) { every_ = nth; }

 private:
  ProjectionStore& store_;
  int every_ = 0;
  int commits_ = 0;
};

}  // namespace tilth::testing
