// Nodes that admit callers, in simulated worlds: leases, keys, users and what nodes hear of
// each other are the real code.
//
// TILTH_SEEDS, TILTH_FIRST_SEED, TILTH_TRACE: as for the simulation of nodes.

#include "tests/simulation/lease_simulation.h"

#include <gtest/gtest.h>

#include "tests/simulation/seeds.h"

namespace tilth::testing {
namespace {

TEST(LeaseSimulation, AdmitsNoCallerByWhatWasTakenAway) {
  const auto seeds = seed_setting("TILTH_SEEDS", 10'000) / 100;
  const auto first = seed_setting("TILTH_FIRST_SEED", 1);
  expect_no_violations(first, seeds, [](std::uint64_t seed) { return simulate_leases(seed); });
}

class PlantedBugsOfLeases : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedBugsOfLeases, AreFoundByASeed) {
  const auto [bug, known] = GetParam();
  find_planted_bug(known,
                   [&](std::uint64_t seed) { return simulate_leases(seed, bug).violations; });
}

INSTANTIATE_TEST_SUITE_P(All, PlantedBugsOfLeases,
                         ::testing::Values(Planted{PlantedBug::kLeaseIsTooLong, 17},
                                           Planted{PlantedBug::kOthersAreNotHeard, 189},
                                           Planted{PlantedBug::kOthersAreNotTold, 10},
                                           Planted{PlantedBug::kLeaseIsAskedLater, 2},
                                           Planted{PlantedBug::kEndIsOld, 22},
                                           Planted{PlantedBug::kClocksAreTrusted, 976}));

}  // namespace
}  // namespace tilth::testing
