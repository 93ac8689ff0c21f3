// The nodes of a divided cluster in simulated worlds: what they decide about cells and about where
// requests go is the real code.
//
// TILTH_SEEDS, TILTH_FIRST_SEED, TILTH_TRACE: as for the simulation of nodes.

#include "tests/simulation/divided_simulation.h"

#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/simulation/seeds.h"

namespace tilth::testing {
namespace {

class DividedSimulation : public ::testing::TestWithParam<Days> {};

TEST_P(DividedSimulation, HoldsItsPromisesForEverySeed) {
  const auto seeds = seed_setting("TILTH_SEEDS", 10'000) / 100;
  const auto first = seed_setting("TILTH_FIRST_SEED", 1);
  SimulationReport sum;
  for (auto seed = first; seed < first + seeds; ++seed) {
    const auto report = simulate_divided(seed, GetParam());
    ASSERT_TRUE(report.violations.empty()) << "seed " << seed << ": " << report.violations.front();
    sum.attempts += report.attempts;
    sum.known += report.known;
    sum.records += report.records;
    sum.steps += report.steps;
    sum.crashes += report.crashes;
  }
  std::cout << seeds << " seeds: " << sum.attempts << " requests, " << sum.known
            << " with a result, " << sum.records << " records, " << sum.crashes << " crashes, "
            << sum.steps << " steps\n";
  EXPECT_GT(sum.known, seeds);
}

INSTANTIATE_TEST_SUITE_P(On, DividedSimulation, ::testing::Values(Days::kBad, Days::kMoves));

struct Planted {
  PlantedBug bug;
  Days days;
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
