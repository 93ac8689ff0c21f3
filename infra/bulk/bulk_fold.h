// Folds a long log at once into a store that is empty: stream by stream instead of page by page.

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

// Operation: what an event changes lies in its own stream. So the log is read once and dealt out
// into buckets, each of all that happened on some streams, next to one another in the order of
// their names. Each bucket is then folded in memory, its lists are made from the rows that are
// left, and written as sorted files. In the end the store takes in all files at once. What comes of
// it is the same, byte for byte, as what a Projector makes of the same records.
//
// Threads: run() has as many of its own as there are processors, which give way to all others;
// progress() from any. Crash: the store is as empty as before.
class BulkFold {
 public:
  // Asked by each thread after some records: may wait, and says false where it is to end.
  using GoOn = std::function<bool()>;
  struct Progress {
    std::vector<Position> next;  // of each partition, as if it were folded in turn
    std::uint64_t folded = 0;
  };
  struct Limits {
    std::size_t most_bytes = 384 << 20;          // of rows in memory, of all threads
    std::uint64_t records_of_a_bucket = 40'000;  // about
  };

  // Up to `ends`. All must outlive it.
  BulkFold(EventLog& log, const Projection& projection, const OperatorOverrides& orders,
           std::vector<Position> ends, Limits limits);
  BulkFold(EventLog& log, const Projection& projection, const OperatorOverrides& orders,
           std::vector<Position> ends)
      : BulkFold(log, projection, orders, std::move(ends), Limits()) {}

  // Whether `store` may be filled so: nothing has been folded into it, and what an event of the
  // projection changes is its own stream's.
  static bool may_fill(const Projection& projection, const ProjectionStore& store, int partitions);

  // Where it fails nothing is in the store, and a Projector does it page by page.
  //
  //   kUnavailable  it was to end, or the disk has no room for it, or the log does not answer.
  //   kDamaged, kLost  as Projector::follow() says.
  Status run(RocksStore& store, const GoOn& go_on);

  Progress progress() const;

 private:
  using Spools = std::vector<std::unique_ptr<Spool>>;  // of each reader, in the order of the log
  struct Written {
    std::vector<std::string> files;
    std::map<std::string, std::string> beside;  // keys that are no stream's
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
