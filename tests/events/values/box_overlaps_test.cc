#include "events/values/box_overlaps.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace tilth {
namespace {

bool overlap(const Box& a, const Box& b) {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north;
}

// By looking at each pair.
BoxOverlaps counted_one_by_one(const std::vector<Box>& boxes) {
  BoxOverlaps found;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!overlap(boxes[i], boxes[j])) continue;
      ++found.pairs;
      found.weight += boxes[i].weight + boxes[j].weight;
    }
  }
  return found;
}

TEST(BoxOverlaps, OfNoneOrOneAreNone) {
  EXPECT_EQ(count_overlaps({}).pairs, 0);
  const std::vector one{Box{0, 1, 0, 1}};
  EXPECT_EQ(count_overlaps(one).pairs, 0);
}

TEST(BoxOverlaps, IncludeBoxesThatOnlyTouch) {
  const std::vector corner{Box{0, 1, 0, 1, 2}, Box{1, 2, 1, 2, 5}};
  EXPECT_EQ(count_overlaps(corner).pairs, 1);
  EXPECT_EQ(count_overlaps(corner).weight, 7);
  const std::vector apart{Box{0, 1, 0, 1}, Box{1, 2, 1.01, 2}};
  EXPECT_EQ(count_overlaps(apart).pairs, 0);
}

TEST(BoxOverlaps, AreThoseFoundPairByPair) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Box> boxes;
    const int grid = 2 + round % 30;  // a small one has many equal edges
    for (int i = 0; i < round % 60; ++i) {
      const auto next = [&] { return static_cast<double>(random() % static_cast<unsigned>(grid)); };
      const auto [west, east] = std::minmax({next(), next()});
      const auto [south, north] = std::minmax({next(), next()});
      boxes.push_back({west, east, south, north, random() % 9});
    }
    const auto found = count_overlaps(boxes), expected = counted_one_by_one(boxes);
    EXPECT_EQ(found.pairs, expected.pairs) << round;
    EXPECT_EQ(found.weight, expected.weight) << round;
  }
}

}  // namespace
}  // namespace tilth
