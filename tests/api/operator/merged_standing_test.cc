#include "api/operator/merged_standing.h"

#include <gtest/gtest.h>

namespace tilth::testing {
namespace {

ProjectionStanding cell(ProjectionState state, std::vector<Position> next, int generation = 1) {
  ProjectionStanding cell{.generation = generation};
  cell.progress.state = state;
  cell.progress.next = std::move(next);
  return cell;
}

TEST(MergedStanding, IsThatOfTheOnlyCell) {
  const auto all = merged({cell(ProjectionState::kPaused, {{0, 7}}, 3)});
  EXPECT_EQ(all.generation, 3);
  EXPECT_EQ(all.progress.state, ProjectionState::kPaused);
  EXPECT_TRUE(all.cells.empty());
}

TEST(MergedStanding, HasTheWorstStateAndEveryReason) {
  auto sound = cell(ProjectionState::kRunning, {{0, 7}});
  auto faulted = cell(ProjectionState::kFaulted, {{0, 5}});
  faulted.progress.reason = "Event 1 cannot be read.";
  faulted.progress.poison = Poison{{0, 5}, "1"};
  faulted.cell = 4;  // the others are held by other nodes
  const auto all = merged({sound, faulted});
  EXPECT_EQ(all.progress.state, ProjectionState::kFaulted);
  EXPECT_EQ(all.progress.reason, "Cell 4: Event 1 cannot be read.");
  EXPECT_EQ(all.progress.poison->position, (Position{0, 5}));
  EXPECT_EQ(all.cells.size(), 2);
}

TEST(MergedStanding, SaysOnceWhatIsTheSameInAllCells) {
  auto paused = cell(ProjectionState::kPaused, {{0, 7}});
  paused.progress.reason = kPausedByAnOperator;
  EXPECT_EQ(merged({paused, paused}).progress.reason, kPausedByAnOperator);
}

TEST(MergedStanding, HasReadAPartitionAsFarAsAllCellsThatReadItHave) {
  const auto all = merged({cell(ProjectionState::kRunning, {{0, 7}, {2, 4}}),
                           cell(ProjectionState::kRunning, {{0, 5}, {1, 9}})});
  EXPECT_EQ(all.progress.next, (std::vector<Position>{{0, 5}, {1, 9}, {2, 4}}));
}

TEST(MergedStanding, AddsWhatWasFoldedOfDifferentPartitionsAndNotOfTheSame) {
  auto one = cell(ProjectionState::kRunning, {{0, 7}}), same = one;
  auto other = cell(ProjectionState::kRunning, {{1, 7}});
  one.progress.folded = 7, same.progress.folded = 5, other.progress.folded = 5;
  EXPECT_EQ(merged({one, same}).progress.folded, 5);
  EXPECT_EQ(merged({one, other}).progress.folded, 12);
}

TEST(MergedStanding, ReadsTheOldestGenerationUntilAllCellsHaveSwitched) {
  auto switched = cell(ProjectionState::kRunning, {{0, 9}}, 2);
  auto building = cell(ProjectionState::kRunning, {{0, 9}});
  building.building = BuildingGeneration{2, ProjectionState::kRebuilding, {{0, 4}}, 100};
  const auto all = merged({switched, building});
  EXPECT_EQ(all.generation, 1);
  EXPECT_EQ(all.building->generation, 2);
  EXPECT_EQ(all.building->next, (std::vector<Position>{{0, 4}}));
  EXPECT_EQ(merged({switched, switched}).generation, 2);
}

}  // namespace
}  // namespace tilth::testing
