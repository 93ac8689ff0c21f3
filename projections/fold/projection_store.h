// Where a projection stores its rows, and how readers see them.

#pragma once

#include <memory>

#include "events/values/result.h"
#include "projections/rows/row_batch.h"
#include "projections/rows/row_store.h"
#include "projections/rows/unreadable_rows.h"

namespace tilth {

// Port. Threads: snapshot() from any; everything else from the folding thread. A commit survives
// the death of the process; what a power failure loses is folded from the log again.
class ProjectionStore {
 public:
  virtual ~ProjectionStore() = default;

  // The newest committed state, for the folding thread; valid until the next commit.
  virtual const RowReader& newest() const = 0;

  // The state as committed now; it does not change, and may be kept for a while. Any number of
  // threads may read it.
  virtual std::shared_ptr<const RowReader> snapshot() const = 0;

  // Commits all changes or none. kUnavailable: not committed (the disk is full, say); may be
  // retried.
  virtual Status commit(const RowBatch::Changes& changes) = 0;

  // Whether these rows are in this store. Threads: any.
  virtual bool holds(const UnreadableRows&) const { return true; }
};

}  // namespace tilth
