// One run of the nodes of a divided cluster, each of which holds a part of the owners' land.

#pragma once

#include <cstdint>
#include <ostream>

#include "tests/simulation/simulation.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// kBad: nodes are killed, paused, drained, and cut off from each other and from the log. kMoves:
// nothing fails, but nodes come and go; no client may notice that.
enum class Days : std::uint8_t { kBad, kMoves };
inline std::ostream& operator<<(std::ostream& out, Days days) {
  return out << (days == Days::kBad ? "Bad" : "Moves");
}

SimulationReport simulate_divided(std::uint64_t seed, Days days,
                                  PlantedBug bug = PlantedBug::kNone);

}  // namespace tilth::testing
