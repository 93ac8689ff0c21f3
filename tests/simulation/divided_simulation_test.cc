// The nodes of a divided cluster in simulated worlds: what they say and conclude about who lives,
// and what they decide about cells and about where requests go, is the real code.
//
// TILTH_SEEDS, TILTH_FIRST_SEED, TILTH_TRACE: as for the simulation of nodes.

#include "tests/simulation/divided_simulation.h"

#include <gtest/gtest.h>

#include "tests/simulation/seeds.h"

namespace tilth::testing {
namespace {

class DividedSimulation : public ::testing::TestWithParam<Days> {};

TEST_P(DividedSimulation, HoldsItsPromisesForEverySeed) {
  const auto seeds = seed_setting("TILTH_SEEDS", 10'000) / 100;
  const auto first = seed_setting("TILTH_FIRST_SEED", 1);
  expect_no_violations(first, seeds,
                       [](std::uint64_t seed) { return simulate_divided(seed, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(On, DividedSimulation, ::testing::Values(Days::kBad, Days::kMoves));

struct PlantedOnDays : Planted {
  Days days;
};

class PlantedBugsOfDividedNodes : public ::testing::TestWithParam<PlantedOnDays> {};

TEST_P(PlantedBugsOfDividedNodes, AreFoundByASeed) {
  const auto planted = GetParam();
  find_planted_bug(planted.seed, [&](std::uint64_t seed) {
    return simulate_divided(seed, planted.days, planted.bug).violations;
  });
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedBugsOfDividedNodes,
    ::testing::Values(PlantedOnDays{{PlantedBug::kAnnouncedTooEarly, 3}, Days::kMoves},
                      PlantedOnDays{{PlantedBug::kGivenUpTooEarly, 7}, Days::kMoves},
                      PlantedOnDays{{PlantedBug::kResendLosesItsKey, 5}, Days::kBad},
                      PlantedOnDays{{PlantedBug::kUnknownIsSentAgain, 6}, Days::kBad},
                      PlantedOnDays{{PlantedBug::kAnswersAreMixedUp, 7}, Days::kBad},
                      PlantedOnDays{{PlantedBug::kForwardedReadDoesNotWait, 7}, Days::kBad},
                      PlantedOnDays{{PlantedBug::kSilenceIsTooLong, 1}, Days::kBad},
                      PlantedOnDays{{PlantedBug::kPartIsOfAnother, 1}, Days::kMoves}));

}  // namespace
}  // namespace tilth::testing
