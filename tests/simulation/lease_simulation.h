// One run of nodes that admit callers, operators who take that away, and callers who try.

#pragma once

#include <cstdint>

#include "tests/simulation/simulation.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

SimulationReport simulate_leases(std::uint64_t seed, PlantedBug bug = PlantedBug::kNone);

}  // namespace tilth::testing
