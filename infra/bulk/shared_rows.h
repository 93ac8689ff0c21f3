// The rows that a projection derives from all owners' events, while all of these are folded at
// once.

#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "events/values/result.h"
#include "infra/rocksdb/scratch_store.h"
#include "projections/fold/projection_store.h"
#include "projections/rows/bulk_rows.h"
#include "projections/rows/row_batch.h"

namespace tilth {

// Operation: streams come in any order, several at a time. The rows are in memory, and from some
// thousands of keys on in a scratch store, so they may be of any size.
//
// Threads: any.
class SharedRows {
 public:
  // What it borrows must outlive it.
  explicit SharedRows(ScratchStores& scratch) : scratch_(scratch) {}

  // Has `change` change the rows, one at a time. kUnavailable: the disk cannot take them.
  Status change(const std::function<void(RowStore&)>& change);

  // Calls `each` for all keys in order. No change() may follow. Errors: change()'s.
  Status take(const BulkRows::Each& each);

 private:
  Status commit();

  ScratchStores& scratch_;
  std::mutex mutex_;                        // guards what follows
  std::unique_ptr<ProjectionStore> store_;  // null: all rows are in the batch
  std::unique_ptr<RowBatch> batch_ = std::make_unique<RowBatch>();
};

}  // namespace tilth
