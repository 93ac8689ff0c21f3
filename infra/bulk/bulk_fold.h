// Folds a long log into empty stores in bulk: stream by stream instead of page by page.

#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "infra/bulk/shared_rows.h"
#include "infra/bulk/spool.h"
#include "infra/bulk/stream_ranges.h"
#include "infra/rocksdb/rocks_store.h"
#include "infra/rocksdb/scratch_store.h"
#include "projections/fold/operator_overrides.h"
#include "projections/fold/projection.h"

namespace tilth {

// Operation: an event changes only rows of its own stream. So the log is read once and partitioned
// into buckets, each with all records of some streams, in the order of the streams' names. Each
// bucket is then folded in memory, its lists are built from the rows that are left, and written as
// sorted files. In the end the store ingests all files at once. The result is the same, byte for
// byte, as what a Projector makes of the same records.
//
// Rows that are derived from all owners' events (Projection::of_all) do not depend on the order of
// the streams: each event is folded with its bucket into rows that all buckets share. The result is
// that of a Projector once the rows have aged (overdue.h).
//
// Several projections, or cells of them, are folded at the same time: each record is read and
// decoded once, for all that follow its stream.
//
// Threads: run() has a low-priority one of its own for each processor, up to kMostThreads;
// progress() from any. Crash: each store is as empty as before, or filled.
class BulkFold {
 public:
  // Called by each thread after some records: may block, and returns false to stop the fold.
  using GoOn = std::function<bool()>;
  struct Target {
    const Projection& projection;
    RocksStore& store;  // empty, see may_fill()
    OperatorOverrides overrides = {};
  };
  struct Progress {
    std::vector<Position> next;  // of each partition, as if folded in order
    std::uint64_t folded = 0;
  };
  struct Limits {
    std::size_t most_bytes = 384 << 20;          // of rows in memory, of all threads
    std::uint64_t records_of_a_bucket = 40'000;  // about
  };

  // Folds up to `ends`, of which each target reads those of its partitions. All must outlive it.
  BulkFold(EventLog& log, std::vector<Target> targets, const std::vector<Position>& ends,
           Limits limits);
  BulkFold(EventLog& log, std::vector<Target> targets, const std::vector<Position>& ends)
      : BulkFold(log, std::move(targets), ends, Limits()) {}
  ~BulkFold();

  // Whether `store` may be filled in bulk: nothing has been folded into it.
  static bool may_fill(const Projection& projection, const ProjectionStore& store,
                       const EventLog& log);

  // Returns the outcome of each target. If one fails, its store is still empty, and a Projector has
  // to fold page by page; the others go on.
  //
  //   kUnavailable  `go_on` returned false, the disk has no room for it, or the log does not
  //                 respond.
  //   kDamaged, kLost  as Projector::follow().
  std::vector<Status> run(const GoOn& go_on);

  // Of one target.
  Progress progress(std::size_t target = 0) const;

 private:
  using Spools = std::vector<std::unique_ptr<Spool>>;  // of each reader, in the order of the log
  using AllShared = std::vector<std::unique_ptr<SharedRows>>;  // by target; null: it has none
  class Filling;
  class Folds;
  struct Part {
    int partition;
    std::int64_t from, until;
  };

  Status read_and_fold(const GoOn& go_on);
  Status sample(const std::filesystem::path& directory);
  std::vector<std::vector<Part>> parts_of_threads() const;
  Status deal_out(Spool& spool, const std::vector<Part>& parts, const GoOn& go_on);
  Status deal_out(Spool& spool, const LoggedRecord& logged);
  Status fold_buckets(ScratchStores& scratch, const AllShared& shared, const Spools& spools,
                      const GoOn& go_on);
  Status fold_bucket(Folds& folds, std::size_t bucket, const Spools& spools, const GoOn& go_on);
  Status side_by_side(const std::function<Status(std::size_t)>& work);
  bool all_failed() const;
  const std::vector<Filling*>& readers_of(int partition) const;

  EventLog& log_;
  const Limits limits_;
  const std::size_t threads_;
  std::vector<std::unique_ptr<Filling>> targets_;
  std::map<int, std::vector<Filling*>> readers_;  // by partition
  std::vector<Position> ends_;                    // that any target reads up to
  std::uint64_t records_ = 0;                     // before the ends, about
  std::optional<StreamRanges> ranges_;
  std::atomic<std::uint64_t> steps_ = 0;  // kSteps for each record
  std::atomic<std::size_t> next_run_ = 0;
  std::atomic<bool> failed_ = false;  // all of it

  std::mutex mutex_;  // guards the error of all of it
};

}  // namespace tilth
