// The standing of a projection, from those of its cells.

#pragma once

#include <vector>

#include "api/operator/operated_projection.h"

namespace tilth {

// With one cell: its own. With several: the worst state of any, and all reasons; the oldest
// generation; each partition as far as all cells that read it have read. `cells` are at least one,
// in their order.
ProjectionStanding merged(std::vector<ProjectionStanding> cells);

}  // namespace tilth
