// Where a projection's rows are while its store is closed: there are none.

#pragma once

#include <memory>

#include "projections/fold/projection_store.h"

namespace tilth {

// Threads: any.
class NoRows final : public ProjectionStore {
 public:
  const RowReader& newest() const override { return *none_; }
  std::shared_ptr<const RowReader> snapshot() const override { return none_; }
  Status commit(const RowBatch::Changes& /*changes*/) override {
    return Error{ErrorCode::kUnavailable, "The rows are not open."};
  }
  bool holds(const UnreadableRows& /*rows*/) const override { return false; }

 private:
  const std::shared_ptr<const RowReader> none_ = std::make_shared<RowBatch>();
};

}  // namespace tilth
