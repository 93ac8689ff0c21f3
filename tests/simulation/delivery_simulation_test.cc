// Nodes that send events to webhooks, in simulated worlds: what they decide to send, when, and when
// again, what they store of it and tell each other is the real code.
//
// TILTH_SEEDS, TILTH_FIRST_SEED, TILTH_TRACE: as for the simulation of nodes.

#include "tests/simulation/delivery_simulation.h"

#include <gtest/gtest.h>

#include "tests/simulation/seeds.h"

namespace tilth::testing {
namespace {

class DeliverySimulation : public ::testing::TestWithParam<Senders> {};

TEST_P(DeliverySimulation, HoldsItsPromisesForEverySeed) {
  const auto seeds = seed_setting("TILTH_SEEDS", 10'000) / 250;
  const auto first = seed_setting("TILTH_FIRST_SEED", 1);
  expect_no_violations(first, seeds,
                       [](std::uint64_t seed) { return simulate_deliveries(seed, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Of, DeliverySimulation,
                         ::testing::Values(Senders::kOneSends, Senders::kDivided));

TEST(DeliverySimulationOf, TheSameSeedHasTheSameCourse) {
  for (const std::uint64_t seed : {3, 4, 5}) {
    const auto once = simulate_deliveries(seed, Senders::kOneSends),
               again = simulate_deliveries(seed, Senders::kOneSends);
    EXPECT_EQ(once.steps, again.steps);
    EXPECT_EQ(once.records, again.records);
  }
}

class PlantedBugsOfDeliveries : public ::testing::TestWithParam<Planted> {};

// Owners move only where nodes divide them.
TEST_P(PlantedBugsOfDeliveries, AreFoundByASeed) {
  const auto [bug, known] = GetParam();
  const bool is_of_moves = bug == PlantedBug::kMovesAreNotNoticed;
  const auto senders = is_of_moves ? Senders::kDivided : Senders::kOneSends;
  find_planted_bug(known, [&](std::uint64_t seed) {
    return simulate_deliveries(seed, senders, bug).violations;
  });
}

INSTANTIATE_TEST_SUITE_P(All, PlantedBugsOfDeliveries,
                         ::testing::Values(Planted{PlantedBug::kPageLeavesOneOut, 2},
                                           Planted{PlantedBug::kPageIsOfAnother, 1},
                                           Planted{PlantedBug::kSilenceIsAnAnswer, 3},
                                           Planted{PlantedBug::kRemovalIsNotHeard, 31},
                                           Planted{PlantedBug::kRetriesAreEarly, 3},
                                           Planted{PlantedBug::kSettledIsSkipped, 8},
                                           Planted{PlantedBug::kMovesAreNotNoticed, 6}));

}  // namespace
}  // namespace tilth::testing
