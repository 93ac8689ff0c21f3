// The nodes of a divided cluster in simulated worlds: what they decide about cells and about where
// requests go is the real code.
//
// TILTH_SEEDS, TILTH_FIRST_SEED, TILTH_TRACE: as for the simulation of nodes.

#include "tests/simulation/divided_simulation.h"

#include <ostream>

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

struct Planted {
  PlantedBug bug;
  Days days;

  friend std::ostream& operator<<(std::ostream& out, const Planted& planted) {
    return out << planted.bug;
  }
};

class PlantedBugsOfDividedNodes : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedBugsOfDividedNodes, AreFoundByASeed) {
  find_planted_bug([](std::uint64_t seed) {
    return simulate_divided(seed, GetParam().days, GetParam().bug).violations;
  });
}

INSTANTIATE_TEST_SUITE_P(All, PlantedBugsOfDividedNodes,
                         ::testing::Values(Planted{PlantedBug::kAnnouncedTooEarly, Days::kMoves},
                                           Planted{PlantedBug::kGivenUpTooEarly, Days::kMoves},
                                           Planted{PlantedBug::kResendLosesItsKey, Days::kBad},
                                           Planted{PlantedBug::kUnknownIsSentAgain, Days::kBad},
                                           Planted{PlantedBug::kAnswersAreMixedUp, Days::kBad},
                                           Planted{PlantedBug::kPassedOnReadDoesNotWait,
                                                   Days::kBad}));

}  // namespace
}  // namespace tilth::testing
