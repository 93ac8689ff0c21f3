// Folds the whole histories of some streams in memory, and returns the resulting rows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "events/log/event_log.h"
#include "events/log/version_gate.h"
#include "infra/bulk/shared_rows.h"
#include "infra/rocksdb/scratch_store.h"
#include "projections/fold/projection.h"
#include "projections/fold/projection_store.h"
#include "projections/rows/bulk_rows.h"

namespace tilth {

// How much memory the rows of one bucket may take, those of several folds together.
struct BucketMemory {
  std::size_t most_bytes;
  std::size_t folds = 1;
  std::size_t bytes = 0;
};

// What the fold of a bucket needs. All but the memory is shared by several threads.
struct BucketFoldParts {
  const Projection& projection;
  const std::set<std::pair<int, std::int64_t>>& passed_over;  // partitions and offsets
  ScratchStores& scratch;
  BucketMemory& memory;
  SharedRows* of_all = nullptr;  // null: an event changes only rows of its own stream
};

// Operation: the fold that exceeds the memory limit of its bucket continues with rows on disk,
// event by event, like a Projector: slow, but for any size.
//
// Threads: one.
class BucketFold {
 public:
  // What `parts` refer to must outlive it.
  explicit BucketFold(const BucketFoldParts& parts) : parts_(parts) {}

  // Folds the next record of any of its streams. kDamaged: the event cannot be read. kUnavailable:
  // the disk cannot take the rows that exceed the memory limit.
  Status fold(const LoggedRecord& logged);

  // Calls `each` for all rows in key order, once for each key, unless they are shared with other
  // buckets. No fold() may follow.
  Status write(const BulkRows::Each& each);

 private:
  struct Stream {
    std::unique_ptr<BulkRows> rows;  // null: on disk
    StreamHead head = {};
  };

  RowStore& rows_of(const std::string& name, Stream& stream);
  Status fold(const LoggedRecord& logged, Stream& stream);
  void count(std::size_t before, std::size_t after);
  bool takes_too_much() const;
  Status go_to_disk();
  Status commit();
  Status put_heads();
  void take(const BulkRows::Each& each);

  const BucketFoldParts parts_;
  std::unordered_map<std::string, Stream> streams_;
  std::size_t bytes_ = 0;                   // of its rows in memory
  std::unique_ptr<ProjectionStore> store_;  // once it is too much for memory
  std::unique_ptr<RowBatch> batch_;         // over it
};

}  // namespace tilth
