#include "projections/fold/cell_layout.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace tilth {

CellLayout::CellLayout(const EventLog& log, int cells, ReferenceData reference_data)
    : partitions_(log.partitions()),
      virtual_partitions_(log.virtual_partitions()),
      of_owners_(std::min(cells, log.virtual_partitions())),
      apart_(reference_data == ReferenceData::kApart),
      of_reference_(log.partition_of(kReferenceStream)) {}

Projection CellLayout::part_of(Projection whole, int cell) const {
  auto part = std::move(whole);
  if (!part.streams.empty()) {
    std::set<int> with_them;
    for (const auto stream : part.streams) {
      with_them.insert(EventLog::share_of(stream, partitions_));
    }
    part.partitions.assign(with_them.begin(), with_them.end());
  }
  if (cells() == 1) return part;
  part.cell = cell;
  part.cells = cells();
  part.partitions = partitions_of(cell);
  part.fingerprint += " cell " + std::to_string(cell) + " of " + std::to_string(cells()) + " in " +
                      std::to_string(virtual_partitions_) + (apart_ ? " apart" : "");
  part.follows = [layout = *this, cell,
                  follows = std::move(part.follows)](std::string_view stream) {
    if (!follows(stream)) return false;
    return stream == kReferenceStream || layout.cell_of(stream) == cell;
  };
  return part;
}

// With fewer partitions than virtual ones, each partition has streams of every cell of owners.
std::vector<int> CellLayout::partitions_of(int cell) const {
  std::vector<int> partitions;
  for (int partition = 0; partition < partitions_; ++partition) {
    const bool of_owners = cell < of_owners_;
    const bool has_streams =
        of_owners && (partitions_ < virtual_partitions_ || partition % of_owners_ == cell);
    if (has_streams || partition == of_reference_) partitions.push_back(partition);
  }
  return partitions;
}

}  // namespace tilth
