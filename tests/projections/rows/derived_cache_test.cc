#include "projections/rows/derived_cache.h"

#include <vector>

#include <gtest/gtest.h>

namespace tilth::testing {
namespace {

Derived made(std::string_view bytes) {
  return {std::make_shared<const std::string>(bytes), bytes.size()};
}

class DerivedValues : public ::testing::Test {
 protected:
  std::string found(std::string_view key, DerivedCache::State state) {
    const auto kept = cache.find(key, state);
    return kept ? *std::static_pointer_cast<const std::string>(kept) : "nothing";
  }
  void commit(const std::vector<std::string>& keys) {
    RowBatch::Changes changes;
    for (const auto& key : keys) changes[key] = "changed";
    const DerivedCache::Commit commit(cache, changes);
  }

  DerivedCache cache{1 << 20};
};

TEST_F(DerivedValues, AreFoundAgainWhileNoCommitChangesThem) {
  EXPECT_EQ(found("a", cache.state()), "nothing");
  cache.keep("a", made("1"), cache.state());
  EXPECT_EQ(found("a", cache.state()), "1");
  commit({"b", "c"});
  EXPECT_EQ(found("a", cache.state()), "1");
  commit({"a"});
  EXPECT_EQ(found("a", cache.state()), "nothing");
}

TEST_F(DerivedValues, AreNotKeptOfAStateThatIsOver) {
  const auto before = cache.state();
  commit({"a"});
  cache.keep("a", made("before"), before);
  EXPECT_EQ(found("a", before), "nothing");
  EXPECT_EQ(found("a", cache.state()), "nothing");
}

TEST_F(DerivedValues, AreNotShownToReadersOfAnOlderState) {
  const auto before = cache.state();
  commit({"a"});
  cache.keep("a", made("after"), cache.state());
  EXPECT_EQ(found("a", before), "nothing");
  EXPECT_EQ(found("a", cache.state()), "after");
}

TEST_F(DerivedValues, AreNeitherKeptNorFoundOfWhatIsBeingCommitted) {
  cache.keep("a", made("1"), cache.state());
  {
    const RowBatch::Changes none;
    const DerivedCache::Commit commit(cache, none);
    const auto between = cache.state();
    cache.keep("b", made("2"), between);
    EXPECT_EQ(found("a", between), "nothing");
  }
  EXPECT_EQ(found("a", cache.state()), "1");
  EXPECT_EQ(found("b", cache.state()), "nothing");
}

TEST_F(DerivedValues, TakeNoMoreMemoryThanIsAllowed) {
  std::weak_ptr<const void> first;
  for (int i = 0; i < 10'000; ++i) {
    auto row = made(std::string(1'000, 'x'));
    if (i == 0) first = row.value;
    cache.keep(std::to_string(i), row, cache.state());
  }
  EXPECT_TRUE(first.expired());
  int there = 0;
  for (int i = 0; i < 10'000; ++i) there += found(std::to_string(i), cache.state()) != "nothing";
  EXPECT_LE(there, 1'000);
  EXPECT_GE(there, 100);
}

TEST_F(DerivedValues, StayIfTheyAreAskedForWhileOthersCome) {
  cache.keep("dear", made("1"), cache.state());
  for (int i = 0; i < 10'000; ++i) {
    cache.keep(std::to_string(i), made(std::string(1'000, 'x')), cache.state());
    ASSERT_EQ(found("dear", cache.state()), "1") << i;
  }
}

TEST_F(DerivedValues, ThatHaveAgedAreForgottenWithTheirRowToo) {
  std::weak_ptr<const void> value;
  const auto keep = [&] {
    const auto derived = made("1");
    value = derived.value;
    cache.keep("a", derived, cache.state());
  };
  const auto keep_another = [this](int number) {
    cache.keep(std::to_string(number), made(std::string(1'000, 'x')), cache.state());
  };
  keep();
  int others = 0;
  while (!value.expired()) keep_another(others++);
  cache.clear();
  keep();
  for (int i = 0; i < others - 1; ++i) keep_another(i);  // one more would evict it
  EXPECT_FALSE(value.expired());
  commit({"a"});
  EXPECT_EQ(found("a", cache.state()), "nothing");
}

TEST_F(DerivedValues, AreForgottenWhenOthersTakeTheirPlace) {
  const auto before = cache.state();
  cache.keep("a", made("1"), before);
  cache.clear();
  cache.keep("b", made("2"), before);
  EXPECT_EQ(found("a", cache.state()), "nothing");
  EXPECT_EQ(found("b", cache.state()), "nothing");
  cache.keep("a", made("3"), cache.state());
  EXPECT_EQ(found("a", cache.state()), "3");
}

TEST_F(DerivedValues, ThatAreLargerThanTheirShareAreNotKept) {
  cache.keep("a", made(std::string(1 << 20, 'x')), cache.state());
  EXPECT_EQ(found("a", cache.state()), "nothing");
}

}  // namespace
}  // namespace tilth::testing
