// Folds a long log into an empty store in bulk: stream by stream instead of page by page.

#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "infra/bulk/bucket_fold.h"
#include "infra/bulk/spool.h"
#include "infra/bulk/stream_ranges.h"
#include "infra/rocksdb/rocks_store.h"
#include "projections/fold/operator_overrides.h"
#include "projections/fold/projection.h"

namespace tilth {

// Operation: an event changes only rows of its own stream. So the log is read once and partitioned
// into buckets, each with all records of some streams, in the order of the streams' names. Each
// bucket is then folded in memory, its lists are built from the rows that are left, and written as
// sorted files. In the end the store ingests all files at once. The result is the same, byte for
// byte, as what a Projector makes of the same records.
//
// Threads: run() has a low-priority one of its own for each processor, up to kMostThreads;
// progress() from any. Crash: the store is as empty as before.
class BulkFold {
 public:
  // Called by each thread after some records: may block, and returns false to stop the fold.
  using GoOn = std::function<bool()>;
  struct Progress {
    std::vector<Position> next;  // of each partition, as if folded in order
    std::uint64_t folded = 0;
  };
  struct Limits {
    std::size_t most_bytes = 384 << 20;          // of rows in memory, of all threads
    std::uint64_t records_of_a_bucket = 40'000;  // about
  };

  // Folds up to `ends`. All must outlive it.
  BulkFold(EventLog& log, const Projection& projection, const OperatorOverrides& orders,
           std::vector<Position> ends, Limits limits);
  BulkFold(EventLog& log, const Projection& projection, const OperatorOverrides& orders,
           std::vector<Position> ends)
      : BulkFold(log, projection, orders, std::move(ends), Limits()) {}

  // Whether `store` may be filled in bulk: nothing has been folded into it, and an event of the
  // projection changes only rows of its own stream.
  static bool may_fill(const Projection& projection, const ProjectionStore& store,
                       const EventLog& log);

  // If it fails, the store is still empty, and a Projector has to fold page by page.
  //
  //   kUnavailable  `go_on` returned false, the disk has no room for it, or the log does not
  //                 respond.
  //   kDamaged, kLost  as Projector::follow().
  Status run(RocksStore& store, const GoOn& go_on);

  Progress progress() const;

 private:
  using Spools = std::vector<std::unique_ptr<Spool>>;  // of each reader, in the order of the log
  struct Written {
    std::vector<std::string> files;
    std::map<std::string, std::string> streamless;  // keys that belong to no stream
  };

  Status sample(const std::filesystem::path& directory);
  Status deal_out(Spool& spool, std::size_t part, const GoOn& go_on);
  Status deal_out(Spool& spool, const Position& from, std::int64_t until, const GoOn& go_on);
  Status may_pass_over(const LoggedRecord& logged) const;
  Status fold_buckets(const RocksStore& store, ScratchStores& scratch, const Spools& spools,
                      const GoOn& go_on);
  Status fold_bucket(BucketFold& fold, std::size_t bucket, const Spools& spools, const GoOn& go_on);
  Status side_by_side(const std::function<Status(std::size_t)>& work);

  EventLog& log_;
  const Projection& projection_;
  const std::vector<Position> ends_;
  const Limits limits_;
  const std::size_t threads_;
  std::set<std::pair<int, std::int64_t>> passed_over_;
  std::uint64_t records_ = 0;  // before the ends, about
  std::optional<StreamRanges> ranges_;
  std::atomic<std::uint64_t> steps_ = 0;  // kSteps for each record
  std::atomic<std::size_t> next_run_ = 0;
  std::atomic<bool> failed_ = false;

  std::mutex mutex_;  // guards what follows
  Written written_;
};

}  // namespace tilth
