// The real command loop and projectors in simulated worlds: thousands of bad days, each of which
// can be had again by its seed.
//
// TILTH_SEEDS: how many seeds, TILTH_FIRST_SEED: from which on. TILTH_TRACE: prints what happens.

#include "tests/simulation/simulation.h"

#include <gtest/gtest.h>

#include "tests/simulation/seeds.h"

namespace tilth::testing {
namespace {

// In parts, so that a test runner may run them side by side.
class Simulation : public ::testing::TestWithParam<std::uint64_t> {};
constexpr std::uint64_t kParts = 4;

TEST_P(Simulation, HoldsItsPromisesForEverySeed) {
  const auto seeds = seed_setting("TILTH_SEEDS", 10'000) / kParts;
  const auto first = seed_setting("TILTH_FIRST_SEED", 1) + GetParam() * seeds;
  expect_no_violations(first, seeds, [](std::uint64_t seed) { return simulate(seed); });
}

INSTANTIATE_TEST_SUITE_P(Parts, Simulation, ::testing::Range<std::uint64_t>(0, kParts));

TEST(SimulationOf, TheSameSeedHasTheSameCourse) {
  for (const std::uint64_t seed : {3, 4, 5}) {
    const auto once = simulate(seed), again = simulate(seed);
    EXPECT_EQ(once.steps, again.steps);
    EXPECT_EQ(once.records, again.records);
  }
}

class PlantedBugs : public ::testing::TestWithParam<PlantedBug> {};

TEST_P(PlantedBugs, AreFoundByASeed) {
  find_planted_bug([](std::uint64_t seed) { return simulate(seed, GetParam()).violations; });
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedBugs,
    ::testing::Values(PlantedBug::kReadBeforeSync, PlantedBug::kReaderSkipsARecord,
                      PlantedBug::kEndIsOld, PlantedBug::kSaysThatItIsSequential,
                      PlantedBug::kPredecessorIsNotStored, PlantedBug::kNodeMissesPredecessors,
                      PlantedBug::kFollowersAreKept, PlantedBug::kRetryGetsANewId,
                      PlantedBug::kCommitLosesChanges, PlantedBug::kCommitIsTorn,
                      PlantedBug::kForgetsAfterACrash, PlantedBug::kCascadeForgetsATable,
                      PlantedBug::kFoldReadsTheClock, PlantedBug::kIdempotencyKeyIsDropped,
                      PlantedBug::kPreconditionIsIgnored, PlantedBug::kPartitionIsForgotten,
                      PlantedBug::kCellFollowsTooMuch, PlantedBug::kOwnersAreDealtOtherwise,
                      PlantedBug::kOneCellIsWaitedFor, PlantedBug::kReadDoesNotWait,
                      PlantedBug::kSwitchIsTooEarly));

}  // namespace
}  // namespace tilth::testing
