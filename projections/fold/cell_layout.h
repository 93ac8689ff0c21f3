// Cells: the streams of a projection are divided among several loops with rows of their own, so
// that more than one thread decides and folds.

#pragma once

#include <string_view>
#include <vector>

#include "events/log/event_log.h"
#include "projections/fold/projection.h"

namespace tilth {

// Which cell each stream belongs to. A stream's virtual partition decides, so nothing has to be
// stored, and each start with as many cells divides alike.
class CellLayout {
 public:
  // `cells` is at least 1. There are no more cells than virtual partitions of the log.
  CellLayout(const EventLog& log, int cells);

  int cells() const { return cells_; }
  int cell_of(std::string_view stream) const {
    return EventLog::share_of(stream, virtual_partitions_) % cells_;
  }

  // The part of `whole` that a cell folds: its own streams and the reference data, which every cell
  // has, since owners' commands are decided on it.
  Projection part_of(Projection whole, int cell) const;

 private:
  std::vector<int> partitions_of(int cell) const;

  int partitions_;
  int virtual_partitions_;
  int cells_;
  int of_reference_;  // the partition of the reference data
};

}  // namespace tilth
