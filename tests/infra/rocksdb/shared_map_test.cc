#include "infra/rocksdb/shared_map.h"

#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tilth {
namespace {

using Reference = std::map<std::string, std::optional<std::string>, std::less<>>;
using Entries = std::vector<std::pair<std::string, std::optional<std::string>>>;

std::string found(const SharedMap& map, std::string_view key) {
  SharedMap::Value value;
  return map.find(key, value) ? std::string(value.value_or("erased")) : "unknown";
}

Entries forward(const SharedMap& map) {
  Entries found;
  SharedMap::Cursor cursor(map);
  for (cursor.seek({}); cursor.valid(); cursor.next()) {
    found.emplace_back(cursor.key(), cursor.value());
  }
  return found;
}

Entries backward(const SharedMap& map) {
  Entries found;
  SharedMap::Cursor cursor(map);
  for (cursor.seek_for_prev("\xFF"); cursor.valid(); cursor.prev()) {
    found.emplace_back(cursor.key(), cursor.value());
  }
  return {found.rbegin(), found.rend()};
}

Entries all_of(const Reference& reference) { return {reference.begin(), reference.end()}; }

std::string key_at(std::mt19937_64& random, std::size_t of) {
  return "field/" + std::string(random() % 3, 'x') + std::to_string(random() % of);
}

void change_some(SharedMap& map, Reference& reference, std::mt19937_64& random, int times) {
  for (int i = 0; i < times; ++i) {
    const auto key = key_at(random, 2'000);
    std::optional<std::string> value;
    if (random() % 5 != 0) value.emplace(random() % 200 == 0 ? 9'000 : random() % 40, 'v');
    map.put(key, value);
    reference.insert_or_assign(key, value);
  }
}

TEST(SharedMap, HoldsNothingAtFirst) {
  const SharedMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(found(map, "a"), "unknown");
  EXPECT_EQ(forward(map), Entries{});
  EXPECT_EQ(backward(map), Entries{});
}

TEST(SharedMap, TellsWhatIsErasedFromWhatItDoesNotKnow) {
  SharedMap map;
  map.put("a", "1");
  map.put("b", std::nullopt);
  EXPECT_EQ(found(map, "a"), "1");
  EXPECT_EQ(found(map, "b"), "erased");
  EXPECT_EQ(found(map, "c"), "unknown");
}

TEST(SharedMap, IsAsASortedMapWhateverIsPut) {
  SharedMap map;
  Reference reference;
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    change_some(map, reference, random, 500);
    ASSERT_EQ(forward(map), all_of(reference));
    ASSERT_EQ(backward(map), all_of(reference));
  }
  for (const auto& [key, value] : reference) EXPECT_EQ(found(map, key), value.value_or("erased"));
}

TEST(SharedMap, StaysSortedWhenAllComesInOrder) {
  SharedMap rising, falling;
  Reference reference;
  for (int i = 10'000; i < 20'000; ++i) {
    rising.put(std::to_string(i), "v");
    falling.put(std::to_string(29'999 - i), "v");
    reference[std::to_string(i)] = "v";
  }
  EXPECT_EQ(forward(rising), all_of(reference));
  EXPECT_EQ(forward(falling), all_of(reference));
}

TEST(SharedMap, IsTheSameHoweverItIsFilled) {
  SharedMap filled, map;
  Reference reference;
  std::mt19937_64 random(4);
  std::vector<std::pair<SharedMap, Entries>> copies;
  for (int round = 0; round < 200; ++round) {
    Reference some;
    change_some(map, some, random, static_cast<int>(random() % 300));
    for (SharedMap::Filler filler(filled); const auto& [key, value] : some) filler.put(key, value);
    some.merge(reference);  // newer values win
    reference = std::move(some);
    copies.emplace_back(filled, all_of(reference));
    ASSERT_EQ(filled.bytes(), map.bytes());
  }
  for (const auto& [copy, entries] : copies) EXPECT_EQ(forward(copy), entries);
}

TEST(SharedMap, SeeksTheNearestKeyOnEitherSide) {
  SharedMap map;
  Reference reference;
  std::mt19937_64 random(2);
  change_some(map, reference, random, 3'000);
  SharedMap::Cursor cursor(map);
  for (int i = 0; i < 2'000; ++i) {
    const auto key = key_at(random, 4'000);
    const auto after = reference.lower_bound(key), past = reference.upper_bound(key);
    cursor.seek(key);
    ASSERT_EQ(cursor.valid(), after != reference.end());
    if (cursor.valid()) {
      ASSERT_EQ(cursor.key(), after->first);
    }
    cursor.seek_for_prev(key);
    ASSERT_EQ(cursor.valid(), past != reference.begin());
    if (cursor.valid()) {
      ASSERT_EQ(cursor.key(), std::prev(past)->first);
    }
  }
}

TEST(SharedMap, CopiesStayAsTheyWere) {
  SharedMap map;
  Reference reference;
  std::mt19937_64 random(3);
  std::vector<std::pair<SharedMap, Entries>> copies;
  for (int round = 0; round < 50; ++round) {
    change_some(map, reference, random, 60);
    copies.emplace_back(map, all_of(reference));
  }
  for (const auto& [copy, entries] : copies) EXPECT_EQ(forward(copy), entries);
}

TEST(SharedMap, KnowsAboutHowMuchItHolds) {
  SharedMap map;
  for (int i = 0; i < 1'000; ++i) map.put(std::to_string(i), std::string(1'000, 'v'));
  EXPECT_GT(map.bytes(), 1'000'000);
  EXPECT_LT(map.bytes(), 1'200'000);
  for (int i = 0; i < 1'000; ++i) map.put(std::to_string(i), std::nullopt);
  EXPECT_LT(map.bytes(), 200'000);
}

}  // namespace
}  // namespace tilth
