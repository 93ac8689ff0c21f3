// Where a projection keeps its rows, and how readers see them.

#pragma once

#include <memory>

#include "events/values/result.h"
#include "projections/rows/row_batch.h"
#include "projections/rows/row_store.h"
#include "projections/rows/unreadable_rows.h"

namespace tilth {

// Port. Threads: snapshot() from any; all else from the one that folds. What was committed survives
// the death of the process; what a power failure takes, the log tells again.
class ProjectionStore {
 public:
  virtual ~ProjectionStore() = default;

  // The newest committed state, for the thread that folds: to be read until the next commit.
  virtual const RowReader& newest() const = 0;

  // The state as it is committed now; it does not change, and may be kept for a while. Any number
  // of threads may read it.
  virtual std::shared_ptr<const RowReader> snapshot() const = 0;

  // All changes or none. kUnavailable: not committed (the disk is full, say); may be tried again.
  virtual Status commit(const RowBatch::Changes& changes) = 0;

  // Whether these are rows of its own. Threads: any.
  virtual bool holds(const UnreadableRows&) const { return true; }
};

}  // namespace tilth
