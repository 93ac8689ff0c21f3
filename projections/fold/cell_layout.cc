#include "projections/fold/cell_layout.h"

#include <algorithm>
#include <string>
#include <utility>

#include "events/log/streams.h"

namespace tilth {

CellLayout::CellLayout(const EventLog& log, int cells)
    : partitions_(log.partitions()),
      virtual_partitions_(log.virtual_partitions()),
      cells_(std::min(cells, log.virtual_partitions())),
      of_reference_(log.partition_of(kReferenceStream)) {}

Projection CellLayout::part_of(Projection whole, int cell) const {
  if (cells_ == 1) return whole;
  auto part = std::move(whole);
  part.cell = cell;
  part.cells = cells_;
  part.partitions = partitions_of(cell);
  part.fingerprint += " cell " + std::to_string(cell) + " of " + std::to_string(cells_) + " in " +
                      std::to_string(virtual_partitions_);
  part.follows = [layout = *this, cell,
                  follows = std::move(part.follows)](std::string_view stream) {
    if (!follows(stream)) return false;
    return stream == kReferenceStream || layout.cell_of(stream) == cell;
  };
  return part;
}

// With fewer partitions than virtual ones, each partition has streams of every cell.
std::vector<int> CellLayout::partitions_of(int cell) const {
  std::vector<int> partitions;
  for (int partition = 0; partition < partitions_; ++partition) {
    const bool has_streams = partitions_ < virtual_partitions_ || partition % cells_ == cell;
    if (has_streams || partition == of_reference_) partitions.push_back(partition);
  }
  return partitions;
}

}  // namespace tilth
