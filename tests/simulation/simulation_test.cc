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

class PlantedBugs : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedBugs, AreFoundByASeed) {
  const auto [bug, known] = GetParam();
  find_planted_bug(known, [&](std::uint64_t seed) { return simulate(seed, bug).violations; });
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedBugs,
    ::testing::Values(
        Planted{PlantedBug::kReadBeforeSync, 1}, Planted{PlantedBug::kReaderSkipsARecord, 2},
        Planted{PlantedBug::kEndIsOld, 40}, Planted{PlantedBug::kSaysThatItIsSequential, 55},
        Planted{PlantedBug::kPredecessorIsNotStored, 22},
        Planted{PlantedBug::kNodeMissesPredecessors, 11},
        Planted{PlantedBug::kFollowersAreKept, 22}, Planted{PlantedBug::kRetryGetsANewId, 2},
        Planted{PlantedBug::kCommitLosesChanges, 2}, Planted{PlantedBug::kCommitIsTorn, 5},
        Planted{PlantedBug::kForgetsAfterACrash, 2}, Planted{PlantedBug::kCascadeForgetsATable, 7},
        Planted{PlantedBug::kFoldReadsTheClock, 11},
        Planted{PlantedBug::kIdempotencyKeyIsDropped, 2},
        Planted{PlantedBug::kPreconditionIsIgnored, 1},
        Planted{PlantedBug::kPartitionIsForgotten, 19}, Planted{PlantedBug::kCellFollowsTooMuch, 9},
        Planted{PlantedBug::kOwnersAreDealtOtherwise, 5},
        Planted{PlantedBug::kOneCellIsWaitedFor, 1}, Planted{PlantedBug::kReadDoesNotWait, 7},
        Planted{PlantedBug::kSwitchIsTooEarly, 5}, Planted{PlantedBug::kReadersMissARow, 1},
        Planted{PlantedBug::kSweptRowsAreShown, 142}, Planted{PlantedBug::kLostVersionIsTaken, 1},
        Planted{PlantedBug::kActorIsNotStored, 1}, Planted{PlantedBug::kReplayShowsNoRow, 1},
        Planted{PlantedBug::kBatchGoesOnAfterAFailure, 6},
        Planted{PlantedBug::kBatchedRequestLosesItsKey, 6},
        Planted{PlantedBug::kResentBatchReadsOldRows, 7902},
        Planted{PlantedBug::kLogIsNotSynced, 2}, Planted{PlantedBug::kDayHasOneTaskMore, 25},
        Planted{PlantedBug::kKeysAreNotSynced, 14}));

}  // namespace
}  // namespace tilth::testing
