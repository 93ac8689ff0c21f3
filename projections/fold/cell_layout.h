// Cells: the streams of a projection are divided among several loops with rows of their own, so
// that more than one thread decides and folds.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "events/log/event_log.h"
#include "events/log/streams.h"
#include "projections/fold/projection.h"

namespace tilth {

// Which cell each stream belongs to. A stream's virtual partition decides, so nothing has to be
// stored, and each start with as many cells divides alike.
class CellLayout {
 public:
  // kApart: a cell of its own, the last one, so that a node may hold it without any owner's
  // streams.
  enum class ReferenceData : std::uint8_t { kInItsCell, kApart };

  // `cells` is at least 1. There are no more cells of owners than virtual partitions of the log.
  CellLayout(const EventLog& log, int cells,
             ReferenceData reference_data = ReferenceData::kInItsCell);

  int cells() const { return of_owners_ + (apart_ ? 1 : 0); }
  int cells_of_owners() const { return of_owners_; }
  int partitions() const { return partitions_; }  // of the log
  int cell_of(std::string_view stream) const {
    if (apart_ && stream == kReferenceStream) return of_owners_;
    return EventLog::share_of(stream, virtual_partitions_) % of_owners_;
  }

  // The part of `whole` that a cell folds: its own streams and the reference data, which every cell
  // has, since owners' commands are decided on it. Only partitions with such streams are read.
  Projection part_of(Projection whole, int cell) const;

 private:
  std::vector<int> partitions_of(int cell) const;

  int partitions_;
  int virtual_partitions_;
  int of_owners_;
  bool apart_;
  int of_reference_;  // the partition of the reference data
};

}  // namespace tilth
