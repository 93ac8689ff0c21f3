#include "infra/rocksdb/value_cache.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

TEST(ValueCache, AreThoseThatItWasTold) {
  ValueCache known(1'000);
  EXPECT_EQ(known.find("a"), nullptr);
  known.keep("a", "1");
  known.keep("b", std::nullopt);
  EXPECT_EQ(*known.find("a"), "1");
  EXPECT_EQ(*known.find("b"), std::nullopt);
}

TEST(ValueCache, AreNoneAfterSomethingWasWritten) {
  ValueCache known(200);
  for (const auto* key : {"a", "b", "c"}) known.keep(key, "1");
  known.clear();
  for (const auto* key : {"a", "b", "c"}) EXPECT_EQ(known.find(key), nullptr);
}

TEST(ValueCache, StayIfTheyAreAskedForAndAreForgottenElse) {
  ValueCache known(2'000);
  known.keep("asked", "1");
  known.keep("forgotten", "1");
  for (int i = 0; i < 100; ++i) {
    known.keep(std::to_string(i), "2");
    ASSERT_NE(known.find("asked"), nullptr);
    ASSERT_EQ(*known.find("asked"), "1");
  }
  EXPECT_EQ(known.find("forgotten"), nullptr);
}

}  // namespace
}  // namespace tilth
