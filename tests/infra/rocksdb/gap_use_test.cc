#include "infra/rocksdb/gap_use.h"

#include <string>

#include <gtest/gtest.h>

namespace tilth {
namespace {

std::string key(std::string_view section, int id) {
  const auto digits = std::to_string(id);
  return std::string(section) + std::string(16 - digits.size(), '0') + digits;
}

TEST(GapUse, LearnsOnAndOnWhereASeekSparesManyLookups) {
  GapUse use;
  for (int gap = 0; gap < 100; ++gap) {
    ASSERT_TRUE(use.is_worth_learning(key("farm", gap))) << gap;
    for (int lookup = 0; lookup < 10; ++lookup) use.used(key("farm", gap));
  }
}

TEST(GapUse, SeldomLearnsWhereNoGapIsMissedTwice) {
  GapUse use;
  int learned = 0;
  for (int gap = 0; gap < 3'200; ++gap) learned += use.is_worth_learning(key("task", gap)) ? 1 : 0;
  EXPECT_GT(learned, 50) << "it has to find out when that changes";
  EXPECT_LT(learned, 150);
}

TEST(GapUse, SeldomLearnsWhereASeekSparesALookupOrTwo) {
  GapUse use;
  int learned = 0;
  for (int gap = 0; gap < 3'200; ++gap) {
    learned += use.is_worth_learning(key("task", gap)) ? 1 : 0;
    use.used(key("task", gap));
  }
  EXPECT_LT(learned, 1'000);
}

TEST(GapUse, LearnsAgainOnceItSparesLookups) {
  GapUse use;
  for (int gap = 0; gap < 100; ++gap) use.is_worth_learning(key("task", gap));
  for (int lookup = 0; lookup < 4; ++lookup) use.used(key("task", 1));
  EXPECT_TRUE(use.is_worth_learning(key("task", 2)));
}

TEST(GapUse, KeepsSectionsApart) {
  GapUse use;
  for (int gap = 0; gap < 100; ++gap) use.is_worth_learning(key("task", gap));
  EXPECT_TRUE(use.is_worth_learning(key("farm", 1)));
}

TEST(GapUse, TakesShortKeys) {
  GapUse use;
  EXPECT_TRUE(use.is_worth_learning("a"));
  EXPECT_TRUE(use.is_worth_learning(""));
}

}  // namespace
}  // namespace tilth
