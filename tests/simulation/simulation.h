// One run of nodes, a log, disks and clients, which a seed decides from beginning to end.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/world.h"

namespace tilth::testing {

struct SimulationReport {
  std::vector<std::string> violations;  // of what must always hold; empty if the run was sound
  std::size_t attempts = 0;             // requests that were sent
  std::size_t known = 0;                // of them, those with a result
  std::size_t records = 0;              // accepted
  std::uint64_t steps = 0;
  std::uint64_t crashes = 0;
};

SimulationReport simulate(std::uint64_t seed, PlantedBug bug = PlantedBug::kNone);

}  // namespace tilth::testing
