// The standing of a projection, from those of its cells.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "api/operator/operated_projection.h"

namespace tilth {

// How far several have read, each from positions of its own: a partition as far as all of those
// that read it.
class ReadByAll {
 public:
  void add(const std::vector<Position>& next);
  std::vector<Position> positions() const;  // in the order of partitions

 private:
  std::map<int, std::int64_t> next_;
};

// With one cell: its own. With several: the worst state of any, and all reasons; the oldest
// generation; each partition as far as all cells that read it have read. `cells` are at least one,
// in their order.
ProjectionStanding merged(std::vector<ProjectionStanding> cells);

}  // namespace tilth
