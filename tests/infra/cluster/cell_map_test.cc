#include "infra/cluster/cell_map.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

constexpr int kPartitions = 12, kCells = 6;

// A live node that announces the partitions of these cells.
NodeStanding node(const std::string& id, const std::vector<int>& cells) {
  NodeStanding node{.node = id, .ready = true, .peer_address = id + ":1"};
  for (const int cell : cells) {
    node.next.push_back({cell, 0});
    node.next.push_back({cell + kCells, 0});
  }
  return node;
}

NodeStanding self(const std::vector<int>& cells = {}) {
  auto own = node("a", cells);
  own.self = true;
  return own;
}

CellMap map_of(const std::vector<NodeStanding>& nodes, int copies = 1) {
  return {nodes, kPartitions, kCells, copies};
}

std::vector<int> duties(const CellMap& map) {
  std::vector<int> cells;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    if (map.should_hold(cell)) cells.push_back(static_cast<int>(cell));
  }
  return cells;
}

using Addresses = std::vector<std::string>;

TEST(CellMap, GivesTheOnlyNodeEverything) {
  EXPECT_EQ(duties(map_of({self()}, 2)), (std::vector{0, 1, 2, 3, 4, 5}));
}

TEST(CellMap, GivesEachCellToSoManyNodesAndNodesAgree) {
  for (const int copies : {1, 2, 3}) {
    std::vector<int> holders(kCells);
    for (const auto* own : {"a", "b", "c"}) {
      std::vector<NodeStanding> nodes = {node(own, {})};
      nodes.front().self = true;
      for (const auto* other : {"a", "b", "c"}) {
        if (std::string(other) != own) nodes.push_back(node(other, {}));
      }
      for (const int cell : duties(map_of(nodes, copies)))
        ++holders[static_cast<std::size_t>(cell)];
    }
    EXPECT_EQ(holders, std::vector<int>(kCells, copies));
  }
}

TEST(CellMap, KnowsWhichOthersHoldACellWhole) {
  auto half = node("c", {});
  half.next = {{2, 7}};  // and not partition 8
  const auto map = map_of({self({0}), node("b", {0, 1}), half}, 2);
  EXPECT_EQ(map.others_with(0), Addresses{"b:1"});
  EXPECT_EQ(map.others_with(1), Addresses{"b:1"});
  EXPECT_EQ(map.others_with(2), Addresses{});
}

TEST(CellMap, LetsTheSmallerNumberOfCopiesCountWhileNodesDiffer) {
  auto drains = self({0});
  drains.draining = true;
  drains.copies = 2;
  auto holds = node("b", {0});
  holds.copies = 2;
  auto changed = node("c", {});
  changed.copies = 2;
  EXPECT_FALSE(map_of({drains, holds, changed}, 2).has_enough_others(0));
  changed.copies = 1;
  EXPECT_TRUE(map_of({drains, holds, changed}, 2).has_enough_others(0));
  EXPECT_FALSE(map_of({drains, holds, changed}, 2).has_enough_others(1));
}

TEST(CellMap, AsksThoseFirstThatShouldHoldIt) {
  const std::vector<int> all = {0, 1, 2, 3, 4, 5};
  const auto map = map_of({self(), node("b", all), node("c", all)}, 1);
  const auto as_b = map_of({[&] {
                              auto own = node("b", all);
                              own.self = true;
                              return own;
                            }(),
                            node("a", {}), node("c", all)},
                           1);
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    ASSERT_EQ(map.others_with(cell).size(), 2);
    EXPECT_TRUE(!as_b.should_hold(cell) || map.others_with(cell).front() == "b:1");
    EXPECT_EQ(as_b.other_is_first(cell), map.others_with(cell).front() != "b:1");
  }
}

TEST(CellMap, AsksThoseLastThatDoNotGoOn) {
  const std::vector<int> all = {0, 1, 2, 3, 4, 5};
  for (int cell = 0; cell < kCells; ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    auto halted = node("b", all);
    halted.halted = {cell + kCells};
    const auto map = map_of({self(all), halted, node("c", all)}, 3);
    EXPECT_EQ(map.others_with(at), (Addresses{"c:1", "b:1"}));
    EXPECT_EQ(map.others_that_go_on(at), 1);
    const auto last = map_of({self(all), halted});
    EXPECT_FALSE(last.has_enough_others(at));
    EXPECT_EQ(last.others_with(at), Addresses{"b:1"}) << "no other is left";
    EXPECT_EQ(last.others_that_go_on(at), 0);
    EXPECT_FALSE(last.other_is_first(at));
  }
}

TEST(CellMap, GivesUpOnlyWhatEnoughOthersHaveThatStay) {
  const std::vector<int> all = {0, 1, 2, 3, 4, 5};
  EXPECT_FALSE(map_of({self(all)}).has_enough_others(0));
  EXPECT_TRUE(map_of({self(all), node("b", {0})}).has_enough_others(0));
  EXPECT_FALSE(map_of({self(all), node("b", {0})}).has_enough_others(1));
  EXPECT_FALSE(map_of({self(all), node("b", {0}), node("c", {})}, 2).has_enough_others(0));
  EXPECT_TRUE(map_of({self(all), node("b", {0}), node("c", {0})}, 2).has_enough_others(0));
  auto leaving = node("b", {0});
  leaving.draining = true;
  EXPECT_FALSE(map_of({self(all), leaving}).has_enough_others(0));
}

TEST(CellMap, AsksNoNodeThatIsNotReady) {
  auto starting = node("b", {0});
  starting.ready = false;
  const auto map = map_of({self({0}), starting});
  EXPECT_EQ(map.others_with(0), Addresses{});
  EXPECT_FALSE(map.has_enough_others(0));
  EXPECT_LT(duties(map).size(), kCells);  // but it takes its part
}

TEST(CellMap, HasNoDutiesWhileItDrains) {
  auto own = self({0});
  own.draining = true;
  EXPECT_TRUE(duties(map_of({own, node("b", {})})).empty());
  EXPECT_TRUE(map_of({own, node("b", {0})}).has_enough_others(0));
}

TEST(CellMap, KeepsItsDutiesIfAllNodesDrain) {
  auto own = self({0}), other = node("b", {0, 1});
  own.draining = other.draining = true;
  EXPECT_EQ(duties(map_of({own})).size(), kCells);
  EXPECT_FALSE(map_of({own}).has_enough_others(0));
  const auto map = map_of({own, other});
  EXPECT_EQ(duties(map), duties(map_of({self({0}), node("b", {0, 1})})));
  EXPECT_FALSE(map.has_enough_others(0));
}

TEST(CellMap, GivesNothingUpToANodeThatItDoesNotReach) {
  auto other = node("b", {0});
  other.reached = false;
  const auto map = map_of({self({0}), other});
  EXPECT_FALSE(map.has_enough_others(0));
  EXPECT_EQ(map.others_with(0), Addresses{"b:1"}) << "it may be reached by the next request";
}

TEST(CellMap, GoesByWhatItHeardLastWhileItHearsNobody) {
  auto silent = node("b", {0});
  silent.state = NodeState::kUnknown;
  EXPECT_EQ(map_of({self(), silent}).others_with(0), Addresses{"b:1"});
}

TEST(CellMap, CountsNoDeadNodesAndNoneThatHoldEverything) {
  auto dead = node("b", {0});
  dead.state = NodeState::kDead;
  auto whole = node("c", {0, 1, 2, 3, 4, 5});
  whole.peer_address.clear();  // it takes no requests of others
  const auto map = map_of({self(), dead, whole});
  EXPECT_EQ(duties(map).size(), kCells);
  EXPECT_EQ(map.others_with(0), Addresses{});
}

}  // namespace
}  // namespace tilth
