#include "infra/http/memory_budget.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

std::shared_ptr<MemoryBudget> budget(std::size_t bytes, std::size_t of_one) {
  return std::make_shared<MemoryBudget>(MemoryBudget::Limits{bytes, of_one});
}

TEST(MemoryBudget, GrantsNoMoreThanThereIs) {
  const auto all = budget(100, 100);
  auto first = all->take("a", 60);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(all->take("b", 41), nullptr);
  EXPECT_NE(all->take("b", 40), nullptr);
  EXPECT_EQ(all->refusals(), 1U);
  EXPECT_EQ(all->used(), 60U) << "the second share is gone";
  first.reset();
  EXPECT_EQ(all->used(), 0U);
  EXPECT_NE(all->take("b", 100), nullptr);
}

TEST(MemoryBudget, GrantsAnAccountItsShareOrOneLargerPiece) {
  const auto all = budget(100, 25);
  const auto large = all->take("a", 70);
  ASSERT_NE(large, nullptr) << "it holds nothing else";
  EXPECT_EQ(all->take("a", 1), nullptr);
  const auto small = all->take("b", 20);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(all->take("b", 6), nullptr);
  EXPECT_NE(all->take("b", 5), nullptr);
}

TEST(MemoryBudget, ASharesSizeMayChange) {
  const auto all = budget(100, 50);
  const auto share = all->take("a", 0);
  const auto other = all->take("a", 10);
  EXPECT_TRUE(share->resize(40));
  EXPECT_FALSE(share->resize(41));
  EXPECT_EQ(share->bytes(), 40U) << "a refusal changes nothing";
  EXPECT_TRUE(share->resize(10));
  EXPECT_EQ(all->used(), 20U);
}

TEST(MemoryBudget, AnAccountsOnlyShareGrowsAsLongAsThereIsAny) {
  const auto all = budget(100, 50);
  const auto share = all->take("a", 0);
  EXPECT_TRUE(share->resize(50));
  EXPECT_TRUE(share->resize(99));
  EXPECT_EQ(all->take("a", 1), nullptr);
  EXPECT_FALSE(share->resize(101));
  EXPECT_EQ(share->bytes(), 99U);
}

TEST(MemoryBudget, LivesAsLongAsItsShares) {
  auto all = budget(100, 50);
  const auto share = all->take("a", 50);
  all.reset();
  EXPECT_FALSE(share->resize(101));
  EXPECT_TRUE(share->resize(1));
}

}  // namespace
}  // namespace tilth
