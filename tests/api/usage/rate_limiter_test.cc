#include "api/usage/rate_limiter.h"

#include <deque>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();
Timestamp after(std::chrono::milliseconds span) { return {kNoon.at + span}; }

TEST(RateLimiter, ARequestIsOutsideTheWindowFromExactlyAnHourLaterOn) {
  RateLimiter limiter;
  EXPECT_TRUE(limiter.count_user("u", 1, "k", {}, kNoon).allowed);
  const auto refused = limiter.count_user("u", 1, "k", {}, after(1h - 1ms));
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.reset, after(1h));
  EXPECT_EQ(refused.retry_after_seconds, 1);
  EXPECT_TRUE(limiter.count_user("u", 1, "k", {}, after(1h)).allowed);
}

TEST(RateLimiter, ARefusedRequestDoesNotCount) {
  RateLimiter limiter;
  limiter.count_user("u", 2, "k", {}, kNoon);
  limiter.count_user("u", 2, "k", {}, after(10min));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(limiter.count_user("u", 2, "k", {}, after(20min)).reset, after(1h));
  }
  EXPECT_EQ(limiter.use_of("u", "k").count, 2U);
  EXPECT_EQ(limiter.count_user("u", 2, "k", {}, after(1h)).remaining, 0U);
}

TEST(RateLimiter, ARequestMayCostMoreThanOne) {
  RateLimiter limiter;
  limiter.count_user("u", 12, "k", 20, kNoon);
  EXPECT_EQ(limiter.count_further_of_user("u", 12, "k", 20, 9, kNoon).remaining, 2U);
  limiter.count_user("u", 12, "k", 20, after(1min));
  const auto refused = limiter.count_further_of_user("u", 12, "k", 20, 2, after(1min));
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.remaining, 2U) << "the request itself does not count either";
  EXPECT_EQ(refused.reset, after(1h));
  EXPECT_TRUE(limiter.count_user("u", 12, "k", 20, after(2min)).allowed);
  EXPECT_TRUE(limiter.count_further_of_user("u", 12, "k", 20, 1, after(2min)).allowed);
}

TEST(RateLimiter, ARequestThatIsTakenBackIsNotTheOldestOne) {
  RateLimiter limiter;
  limiter.count_user("u", 5, "k", 5, kNoon);
  limiter.take_back_of_user("u", "k", kNoon);
  const auto next = limiter.count_user("u", 5, "k", 5, after(10min));
  EXPECT_EQ(next.remaining, 4U);
  EXPECT_EQ(next.reset, after(1h + 10min));
  limiter.count_address("192.0.2.1", 5, kNoon);
  limiter.take_back_of_address("192.0.2.1", kNoon);
  EXPECT_EQ(limiter.count_address("192.0.2.1", 5, after(1s)).reset, after(1min + 1s));
}

TEST(RateLimiter, ARequestOfASessionMayCostMoreThanOne) {
  RateLimiter limiter;
  limiter.count_address("u", 10, kNoon);
  EXPECT_FALSE(limiter.count_further_of_address("u", 10, 10, kNoon).allowed);
  limiter.count_address("u", 10, kNoon);
  EXPECT_EQ(limiter.count_further_of_address("u", 10, 9, kNoon).remaining, 0U);
}

TEST(RateLimiter, SaysWhetherThereIsRoomWithoutCounting) {
  RateLimiter limiter;
  EXPECT_TRUE(limiter.has_room_for_user("u", 2, "k", 1, kNoon));
  EXPECT_FALSE(limiter.has_room_for_user("u", 0, "k", {}, kNoon));
  EXPECT_FALSE(limiter.has_room_for_user("u", 2, "k", 0, kNoon));
  limiter.count_user("u", 2, "k", 1, kNoon);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(limiter.has_room_for_user("u", 2, "k", 1, kNoon)) << "the key's limit";
    EXPECT_TRUE(limiter.has_room_for_user("u", 2, "other", 1, kNoon));
  }
  limiter.count_user("u", 2, "other", {}, kNoon);
  EXPECT_FALSE(limiter.has_room_for_user("u", 2, "third", {}, kNoon));
  EXPECT_TRUE(limiter.has_room_for_user("u", 2, "k", 1, after(1h)));
}

TEST(RateLimiter, ASmallerPlanRefusesUntilEnoughHaveLeft) {
  RateLimiter limiter;
  for (int i = 0; i < 4; ++i) limiter.count_user("u", 10, "k", {}, after(i * 1min));
  const auto refused = limiter.count_user("u", 2, "k", {}, after(10min));
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.reset, after(1h + 2min));
  EXPECT_FALSE(limiter.count_user("u", 2, "k", {}, after(1h + 2min - 1ms)).allowed);
  EXPECT_TRUE(limiter.count_user("u", 2, "k", {}, after(1h + 2min)).allowed);
}

TEST(RateLimiter, OfTwoLimitsTheTighterOneIsShownAndOnATieTheUsers) {
  RateLimiter limiter;
  EXPECT_EQ(limiter.count_user("u", 10, "k", 3, kNoon).by, RatedBy::kKey);
  EXPECT_EQ(limiter.count_user("u", 4, "k", 9, kNoon).by, RatedBy::kUser);
  EXPECT_EQ(limiter.count_user("u", 7, "k", 7, kNoon).by, RatedBy::kUser);
}

TEST(RateLimiter, WhenBothLimitsAreUsedUpTheOneThatEndsLaterIsShown) {
  RateLimiter limiter;
  limiter.count_user("u", 2, "other", {}, kNoon);
  const auto last = limiter.count_user("u", 2, "k", 1, after(1min));
  EXPECT_TRUE(last.allowed);
  EXPECT_EQ(last.by, RatedBy::kKey);
  EXPECT_EQ(last.reset, after(1h + 1min));
  const auto refused = limiter.count_user("u", 2, "k", 1, after(2min));
  EXPECT_EQ(refused.by, RatedBy::kKey);
  EXPECT_EQ(refused.reset, last.reset);
}

TEST(RateLimiter, ALimitOfNothingNamesAnInstantToComeAndNeverPasses) {
  RateLimiter limiter;
  const auto refused = limiter.count_address("192.0.2.1", 0, kNoon);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.reset, after(1min));
  EXPECT_FALSE(limiter.count_user("u", 0, "k", {}, kNoon).allowed);
}

// Compares every verdict with a list of everything that was counted.
TEST(RateLimiter, AgreesWithAPlainListOfInstants) {
  RateLimiter limiter;
  std::mt19937 random(7);
  std::deque<Timestamp> counted;
  auto now = kNoon;
  for (int i = 0; i < 20'000; ++i) {
    now.at += std::chrono::milliseconds(random() % 4 == 0 ? random() % 300'000 : random() % 3);
    const std::uint64_t limit = 3 + random() % 40;
    while (!counted.empty() && counted.front().at + 1h <= now.at) counted.pop_front();
    const bool room = counted.size() < limit;
    const auto verdict = limiter.count_user("u", limit, "k", {}, now);
    ASSERT_EQ(verdict.allowed, room) << i;
    if (room) counted.push_back(now);
    ASSERT_EQ(verdict.remaining, room ? limit - counted.size() : 0) << i;
    const auto& leaves = room ? counted.front() : counted[counted.size() - limit];
    ASSERT_EQ(verdict.reset, (Timestamp{leaves.at + 1h})) << i;
  }
}

using Instants = std::map<std::pair<std::string, Timestamp>, std::uint32_t>;

void put(Instants& kept, const std::vector<RateLimiter::Change>& changes) {
  for (const auto& change : changes) {
    for (const auto& [at, count] : change.counted) kept[{change.subject, at}] = count;
  }
}

TEST(RateLimiter, AnInstantCountedBeforeAndAfterATakeIsToldWithItsWholeCount) {
  RateLimiter limiter;
  Instants kept;
  limiter.count_user("u", 100, "k", 100, kNoon);
  limiter.count_user("u", 100, "k", 100, kNoon);
  limiter.count_address("192.0.2.1", 100, kNoon);
  put(kept, limiter.take_changes(kNoon));
  limiter.count_user("u", 100, "k", 100, kNoon);
  limiter.count_address("192.0.2.1", 100, kNoon);
  put(kept, limiter.take_changes(kNoon));
  EXPECT_EQ(kept, (Instants{{{"u", kNoon}, 3}, {{"k", kNoon}, 3}, {{"192.0.2.1", kNoon}, 2}}));
}

TEST(RateLimiter, WhatIsCountedAfterTheClockWasSetBackIsToldToo) {
  RateLimiter limiter;
  Instants kept;
  limiter.count_user("u", 100, "k", {}, after(5min));
  put(kept, limiter.take_changes(after(5min)));
  limiter.count_user("u", 100, "k", {}, kNoon);
  put(kept, limiter.take_changes(kNoon));
  EXPECT_EQ(kept, (Instants{{{"u", after(5min)}, 2}}));
}

TEST(RateLimiter, TellsOfNothingTwiceUnlessItCouldNotBeKept) {
  RateLimiter limiter;
  limiter.count_user("u", 100, "k", {}, kNoon);
  limiter.count_address("192.0.2.1", 100, kNoon);
  const auto taken = limiter.take_changes(kNoon);
  EXPECT_EQ(taken.size(), 3U);
  EXPECT_TRUE(limiter.take_changes(kNoon).empty());

  limiter.not_kept(taken);
  limiter.count_user("u", 100, "k", {}, after(1s));
  Instants kept;
  const auto again = limiter.take_changes(after(1s));
  put(kept, again);
  EXPECT_EQ(again.size(), 3U);
  EXPECT_EQ(kept, (Instants{{{"u", kNoon}, 1}, {{"u", after(1s)}, 1}, {{"192.0.2.1", kNoon}, 1}}));
}

TEST(RateLimiter, ATotalOfAnotherNodeCountsOnceHoweverOftenItIsTold) {
  RateLimiter limiter;
  EXPECT_TRUE(limiter.apply({"one", "u", "k", {5, kNoon}}));
  EXPECT_FALSE(limiter.apply({"one", "u", "k", {5, kNoon}}));
  EXPECT_FALSE(limiter.apply({"one", "u", "k", {3, {}}})) << "an earlier one";
  EXPECT_TRUE(limiter.apply({"two", "u", "k", {2, after(1s)}}));
  EXPECT_EQ(limiter.use_of("u", "k"), (RateLimiter::KeyUse{7, after(1s)}));
}

TEST(RateLimiter, WhatANodeOfAnEarlierReleaseCountsIsAddedUntilItTellsATotal) {
  RateLimiter limiter;
  EXPECT_FALSE(limiter.apply({"one", "u", "k", {3, kNoon}, false}));
  EXPECT_FALSE(limiter.apply({"one", "u", "k", {2, kNoon}, false}));
  EXPECT_EQ(limiter.use_of("u", "k").count, 5U);
  EXPECT_TRUE(limiter.apply({"one", "u", "k", {5, kNoon}}));
  EXPECT_FALSE(limiter.apply({"one", "u", "k", {3, kNoon}, false})) << "the log is read again";
  EXPECT_EQ(limiter.use_of("u", "k").count, 5U);
}

TEST(RateLimiter, StrangersFromEverNewAddressesAreForgottenAndTheOthersAreNot) {
  RateLimiter limiter;
  limiter.count_user("u", 100, "k", {}, kNoon);
  limiter.count_address("stays", 100, after(50s));
  for (int i = 0; i < 200'000; ++i) limiter.count_address("a" + std::to_string(i), 60, kNoon);
  EXPECT_EQ(limiter.take_changes(after(70s)).size(), 200'003U);
  EXPECT_EQ(limiter.count_address("a1", 60, after(80s)).remaining, 59U);
  EXPECT_EQ(limiter.count_address("stays", 100, after(80s)).remaining, 98U);
  EXPECT_EQ(limiter.count_user("u", 100, "k", {}, after(80s)).remaining, 98U);
}

}  // namespace
}  // namespace tilth
