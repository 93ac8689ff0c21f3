// Folds much of the log at once, in memory, into sorted pieces for an empty store: as fast as the
// events can be decoded.

#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projections/bulk_rows.h"
#include "projections/decoded_log.h"
#include "projections/projection.h"
#include "projections/projector.h"

namespace tilth {

// Port: a store that takes sorted pieces. Threads: one.
class BulkStore {
 public:
  virtual ~BulkStore() = default;

  // The state as it is now. It does not change.
  virtual std::shared_ptr<const RowReader> state() const = 0;

  // All that `rows` have, or nothing. kUnavailable: not taken; fold them again.
  virtual Status ingest(BulkRows& rows) = 0;
};

// Operation: what comes of it is the same, byte for byte, as what a Projector makes of the same
// records. Each piece is a checkpoint: rows and offsets.
//
// Threads: one, and those of DecodedLog. Crash: goes on from the last piece.
class BulkFold {
 public:
  // All must outlive it. The store stands where `state()` says, and no removal is under way there.
  BulkFold(EventLog& log, BulkStore& store, const Projection& projection,
           const StandingOrders& orders);

  // Folds some of what lies before the `ends` of the first call; whether nothing is left of it.
  //
  //   kUnavailable  the store could not take a piece: folded again from the last one.
  //   kDamaged, kLost  as LogReader::next() and Projector::follow() say.
  Result<bool> advance(const std::vector<Position>& ends);

  // Where each partition goes on, and how many records that were; ahead of the last checkpoint.
  const std::vector<Position>& next() const { return next_; }
  std::uint64_t folded() const { return folded_; }

 private:
  void begin();
  Status fold(const DecodedRecord& decoded);
  Status take_piece();
  std::uint64_t version(const std::string& stream);

  EventLog& log_;
  BulkStore& store_;
  const Projection& projection_;
  std::set<std::pair<int, std::int64_t>> passed_over_;
  std::vector<Position> ends_;
  std::vector<Position> next_;
  std::uint64_t folded_ = 0;
  std::shared_ptr<const RowReader> state_;
  std::unique_ptr<BulkRows> rows_;
  std::unordered_map<std::string, std::uint64_t> versions_;
  std::unique_ptr<DecodedLog> decoded_;
};

}  // namespace tilth
