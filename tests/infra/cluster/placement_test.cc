#include "infra/cluster/placement.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace tilth {
namespace {

std::vector<std::string> named(int count) {
  std::vector<std::string> nodes;
  for (int i = 0; i < count; ++i) nodes.push_back("tilth-" + std::to_string(i));
  return nodes;
}

std::vector<std::string> without(std::vector<std::string> nodes, const std::string& node) {
  std::erase(nodes, node);
  return nodes;
}

// Who holds each partition, by name.
std::vector<std::set<std::string>> held(const Placement& placement, int partitions) {
  std::vector<std::set<std::string>> all;
  for (int partition = 0; partition < partitions; ++partition) {
    auto& holders = all.emplace_back();
    for (const int holder : placement.holders_of(partition)) {
      holders.insert(placement.nodes().at(static_cast<std::size_t>(holder)));
    }
  }
  return all;
}

// How many copies are in `now` that were not in `before`.
std::size_t moves(const std::vector<std::set<std::string>>& before,
                  const std::vector<std::set<std::string>>& now) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    for (const auto& node : now[i]) count += before[i].contains(node) ? 0 : 1;
  }
  return count;
}

std::size_t most_held(const Placement& placement) {
  std::size_t most = 0;
  for (const auto& node : placement.nodes()) {
    most = std::max(most, placement.held_by(node).size());
  }
  return most;
}

// Nodes of another version work out the same: this may never change.
TEST(Placement, IsWhatItWas) {
  const Placement placement({"tilth-1a3bf46a698a", "tilth-73a0fba78237", "tilth-90c2d1e4b7aa"}, 12,
                            2);
  std::string text;
  for (int partition = 0; partition < 12; ++partition) {
    for (const int holder : placement.holders_of(partition)) text += std::to_string(holder);
    text += ' ';
  }
  EXPECT_EQ(text, "02 12 12 20 02 01 10 02 12 10 02 21 ");
}

TEST(Placement, IsTheSameForAnyOrderOfTheNodes) {
  auto nodes = named(20);
  const auto expected = held(Placement(nodes, 256, 3), 256);
  std::reverse(nodes.begin(), nodes.end());
  EXPECT_EQ(held(Placement(nodes, 256, 3), 256), expected);
  std::rotate(nodes.begin(), nodes.begin() + 7, nodes.end());
  nodes.push_back(nodes.front());
  EXPECT_EQ(held(Placement(nodes, 256, 3), 256), expected);
}

TEST(Placement, EachPartitionHasItsCopiesOnDifferentNodes) {
  for (const int nodes : {1, 2, 3, 4, 7, 30}) {
    for (const int partitions : {1, 2, 12, 97}) {
      for (const int copies : {1, 2, 3, 5, 30}) {
        const Placement placement(named(nodes), partitions, copies);
        for (const auto& holders : held(placement, partitions)) {
          ASSERT_EQ(std::ssize(holders), std::min(nodes, copies));
        }
        ASSERT_LE(most_held(placement), placement.most_held());
      }
    }
  }
}

// A partition that only full nodes do not hold yet.
TEST(Placement, ACopyCountsForMoreThanTheBound) {
  int beyond = 0;
  for (int i = 0; i < 100; ++i) {
    const auto name = std::to_string(i);
    const Placement placement({"a" + name, "b" + name, "c" + name}, 3, 2);
    for (const auto& holders : held(placement, 3)) ASSERT_EQ(holders.size(), 2);
    if (most_held(placement) > placement.most_held()) ++beyond;
  }
  EXPECT_GT(beyond, 0);
  EXPECT_LT(beyond, 50);
}

TEST(Placement, OfNoNodesOrNoPartitionsNothingIsHeld) {
  EXPECT_TRUE(Placement({}, 12, 2).holders_of(11).empty());
  EXPECT_TRUE(Placement({}, 12, 2).held_by("tilth-0").empty());
  EXPECT_TRUE(Placement(named(3), 0, 2).held_by("tilth-0").empty());
  EXPECT_TRUE(Placement(named(3), 12, 2).held_by("stranger").empty());
}

TEST(Placement, ANodeSaysWhatItHolds) {
  const Placement placement(named(5), 40, 2);
  std::size_t all = 0;
  for (const auto& node : placement.nodes()) {
    for (const int partition : placement.held_by(node)) {
      EXPECT_TRUE(held(placement, 40).at(static_cast<std::size_t>(partition)).contains(node));
      ++all;
    }
  }
  EXPECT_EQ(all, 80);
}

TEST(Placement, NoNodeHoldsMuchMoreThanTheMean) {
  constexpr int kPartitions = 1'024;
  for (const int nodes : {3, 10, 25}) {
    const Placement placement(named(nodes), kPartitions, 2);
    for (const auto& node : placement.nodes()) {
      EXPECT_LE(static_cast<double>(placement.held_by(node).size()),
                1.15 * 2 * kPartitions / nodes);
    }
  }
}

TEST(Placement, WhenANodeLeavesLittleMovesButWhatItHeld) {
  constexpr int kPartitions = 1'024;
  const auto nodes = named(25);
  const Placement whole(nodes, kPartitions, 2);
  const auto before = held(whole, kPartitions);
  std::size_t moved = 0, had_to = 0;
  for (const auto& node : nodes) {
    const auto after = held(Placement(without(nodes, node), kPartitions, 2), kPartitions);
    moved += moves(before, after);
    had_to += whole.held_by(node).size();
    // And as little when it joins again.
    moved += moves(after, before);
    had_to += whole.held_by(node).size();
  }
  EXPECT_GE(moved, had_to);
  EXPECT_LE(moved, had_to * 11 / 10);
}

}  // namespace
}  // namespace tilth
