#include "projections/rows/lists/list_block.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "projections/rows/lists/entry_values.h"
#include "projections/rows/lists/list_cache.h"
#include "projections/rows/lists/list_count_cache.h"

namespace tilth {
namespace {

using Values = std::vector<std::optional<std::string>>;

std::string entry_of(const Values& values) {
  std::string entry(16, 'i');
  for (const auto& value : values) append_entry_value(entry, value);
  return entry;
}

std::size_t marked(const ListBlock::Marks& marks) {
  return static_cast<std::size_t>(std::count(marks.begin(), marks.begin() + 60, 1));
}

// Columns with few values, with many, with the same one everywhere, and with none.
TEST(ListBlock, KeepsTheMarksOfTheEntriesThatEachConditionHoldsFor) {
  std::mt19937 random(3);
  for (const std::size_t size : {1U, 2U, 7U, 300U, 2'000U}) {
    std::vector<Values> rows;
    std::vector<std::string> entries;
    for (std::size_t i = 0; i < size; ++i) {
      auto& row = rows.emplace_back();
      row.push_back(std::to_string(random() % 4));
      row.push_back(random() % 3 == 0 ? std::nullopt : std::optional(std::to_string(random() % 9)));
      row.push_back(std::to_string(random() % 1'500));
      row.emplace_back("same");
      row.push_back(std::nullopt);
      row.push_back(random() % 2 == 0 ? std::nullopt : std::optional<std::string>("x"));
      entries.push_back(entry_of(row));
    }
    for (const auto& columns : {ListBlock::Columns{0, 6}, ListBlock::Columns{2, 3}}) {
      const ListBlock block(entries, columns);
      ASSERT_EQ(block.size(), size);
      for (std::size_t column = 0; column < columns.count; ++column) {
        const auto value_of = [&](std::size_t row) { return rows[row][columns.first + column]; };
        for (const auto* const text : {"", "0", "3", "1234", "7", "same", "x", "zz"}) {
          ListBlock::Marks marks(ListBlock::padded(size), 1);
          const bool any = block.keep(column, text, marks);
          for (std::size_t row = 0; row < size; ++row) {
            ASSERT_EQ(any && marks[row] == 1, value_of(row) == std::optional<std::string>(text))
                << text << " in column " << column << " of row " << row;
          }
          ListBlock::Marks cut(ListBlock::padded(size), 1);
          const std::optional<std::string> from = text, until = text + std::string("5");
          const bool some = block.keep(column, from, until, cut);
          for (std::size_t row = 0; row < size; ++row) {
            const auto value = value_of(row);
            ASSERT_EQ(some && cut[row] == 1, value && *value >= *from && *value < *until)
                << text << " on in column " << column << " of row " << row;
          }
        }
        ListBlock::Marks open(ListBlock::padded(size), 1);
        const bool any = block.keep(column, std::nullopt, std::nullopt, open);
        for (std::size_t row = 0; row < size; ++row) {
          ASSERT_EQ(any && open[row] == 1, value_of(row).has_value());
        }
      }
    }
  }
}

TEST(ListBlock, LeavesTheMarksThatEveryConditionLeaves) {
  std::vector<std::string> entries;
  for (int i = 0; i < 60; ++i) {
    entries.push_back(entry_of({std::to_string(i % 2), std::to_string(i % 3)}));
  }
  const ListBlock block(entries, {0, 2});
  ListBlock::Marks marks(ListBlock::padded(60), 1);
  ASSERT_TRUE(block.keep(0, "1", marks));
  ASSERT_TRUE(block.keep(1, "2", marks));
  EXPECT_EQ(marked(marks), 10U);
  EXPECT_EQ(marks[5], 1);
}

class BlocksInACache : public ::testing::Test {
 protected:
  static ListBlockCache::Key key(std::uint64_t number, std::size_t first = 0) {
    return {{1, {number, number * 7}}, {first, 1}};
  }
  static ListBlockCache::Kept block(std::size_t entries) {
    return std::make_shared<const ListBlock>(std::vector<std::string>(entries, entry_of({"a"})),
                                             ListBlock::Columns{0, 1});
  }
};

TEST_F(BlocksInACache, AreFoundByWhatIsInThem) {
  ListBlockCache cache(1 << 20);
  const auto one = block(1);
  cache.keep(key(1), one);
  EXPECT_EQ(cache.find(key(1)), one);
  EXPECT_EQ(cache.find(key(2)), nullptr);
  EXPECT_EQ(cache.find(key(1, 4)), nullptr) << "of other columns";
  cache.keep(key(1), block(1));
  EXPECT_EQ(cache.find(key(1)), one) << "the first one stays";
}

TEST_F(BlocksInACache, StayWithinItsMemoryAndTheLeastRecentlyUsedGoFirst) {
  ListBlockCache cache(256 << 10);
  cache.keep(key(0), block(1));
  for (std::uint64_t i = 1; i < 20'000; ++i) {
    cache.keep(key(i), block(1));
    ASSERT_LE(cache.bytes(), 256U << 10);
    ASSERT_NE(cache.find(key(0)), nullptr) << "it is used all the time, after " << i;
  }
  EXPECT_GT(cache.bytes(), 128U << 10);
  EXPECT_EQ(cache.find(key(1)), nullptr);
  EXPECT_NE(cache.find(key(19'999)), nullptr);
}

TEST(CountsInACache, StayWithinTheirNumberAndWhatIsUsedStays) {
  const auto key = [](std::uint64_t number, std::uint64_t conditions = 1) {
    return ListCountCache::Key{{1, {number, number * 7}}, {conditions, conditions}};
  };
  ListCountCache cache(640);
  cache.keep(key(0), 7);
  for (std::uint64_t i = 1; i < 20'000; ++i) {
    cache.keep(key(i), 1);
    ASSERT_LE(cache.size(), 640U);
    ASSERT_EQ(cache.find(key(0)), 7U) << "it is used all the time, after " << i;
  }
  EXPECT_EQ(cache.find(key(0, 2)), std::nullopt) << "of other conditions";
  EXPECT_EQ(cache.find(key(1)), std::nullopt);
  EXPECT_EQ(cache.find(key(19'999)), 1U);
}

}  // namespace
}  // namespace tilth
