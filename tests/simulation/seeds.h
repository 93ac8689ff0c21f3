// What tests of simulations do with seeds.

#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/simulation/planted_bug.h"
#include "tests/simulation/simulation.h"

namespace tilth::testing {

// A number from the environment.
std::uint64_t seed_setting(const char* name, std::uint64_t otherwise);

// Expects that no run of these seeds has a violation, and that requests had results; prints what
// happened in all of them. `run`: of a seed.
void expect_no_violations(std::uint64_t first, std::uint64_t seeds,
                          const std::function<SimulationReport(std::uint64_t seed)>& run);

// Expects that a seed has a violation, and prints it: `known`, which has found this bug before, or
// else one of the first ones. `violations`: of a seed.
void find_planted_bug(
    std::uint64_t known,
    const std::function<std::vector<std::string>(std::uint64_t seed)>& violations);

// A bug, and a seed that finds it.
struct Planted {
  PlantedBug bug;
  std::uint64_t seed;

  friend std::ostream& operator<<(std::ostream& out, const Planted& planted) {
    return out << planted.bug;
  }
};

}  // namespace tilth::testing
