#include "infra/rocksdb/newest_values.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

RowBatch::Changes change(const std::string& key, NewestValues::Value value) {
  return {{key, std::move(value)}};
}

TEST(NewestValues, KnowsNothingThatItWasNotTold) {
  NewestValues cache(1'000);
  cache.follow(change("a", "1"));
  EXPECT_EQ(cache.find("a"), nullptr);
}

TEST(NewestValues, FollowsWhatIsCommitted) {
  NewestValues cache(1'000);
  cache.keep("a", "1");
  cache.keep("b", std::nullopt);
  EXPECT_EQ(*cache.find("a"), "1");
  EXPECT_EQ(*cache.find("b"), std::nullopt);
  cache.follow(change("a", std::nullopt));
  cache.follow(change("b", "2"));
  EXPECT_EQ(*cache.find("a"), std::nullopt);
  EXPECT_EQ(*cache.find("b"), "2");
}

TEST(NewestValues, KeepsWhatIsAskedForAndForgetsTheRest) {
  NewestValues cache(2'000);
  cache.keep("asked", "1");
  cache.keep("forgotten", "1");
  for (int i = 0; i < 100; ++i) {
    cache.keep(std::to_string(i), "2");
    cache.follow(change("asked", std::to_string(i)));
    ASSERT_NE(cache.find("asked"), nullptr);
    ASSERT_EQ(*cache.find("asked"), std::to_string(i));
  }
  EXPECT_EQ(cache.find("forgotten"), nullptr);
}

}  // namespace
}  // namespace tilth
