// Counts the pairs of boxes that overlap, without visiting each pair.

#pragma once

#include <cstdint>
#include <span>

namespace tilth {

// An upright rectangle, with its edges. It may have no width or no height.
struct Box {
  double west, east, south, north;
  std::uint64_t weight = 1;
};

struct BoxOverlaps {
  std::uint64_t pairs = 0;   // of boxes that have at least a point in common
  std::uint64_t weight = 0;  // of both boxes, summed over these pairs
};

// Takes n log n steps for n boxes, however many pairs overlap.
BoxOverlaps count_overlaps(std::span<const Box> boxes);

}  // namespace tilth
