#include "api/rate_limiter.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kHour = 3'600'000ms;

Timestamp at(std::chrono::milliseconds since) {
  return {std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) + since};
}

// Every counted instant, looked through each time.
class Model {
 public:
  std::uint64_t used(Timestamp now, std::chrono::milliseconds length) const {
    return static_cast<std::uint64_t>(
        std::count_if(counted.begin(), counted.end(),
                      [&](Timestamp each) { return each <= now && now.at - each.at < length; }));
  }
  // The first instant at which fewer than `limit` are in the window.
  Timestamp has_room(std::uint64_t limit, Timestamp now, std::chrono::milliseconds length) const {
    auto instants = counted;
    std::sort(instants.begin(), instants.end());
    for (const auto& each : instants) {
      const Timestamp leaves{each.at + length};
      if (leaves > now && used(leaves, length) < limit) return leaves;
    }
    return now;
  }
  Timestamp oldest_leaves(Timestamp now, std::chrono::milliseconds length) const {
    Timestamp oldest = now;
    for (const auto& each : counted) {
      if (now.at - each.at < length) oldest = std::min(oldest, each);
    }
    return {oldest.at + length};
  }

  std::vector<Timestamp> counted;
};

TEST(SlidingWindow, LetsARequestLeaveExactlyAfterItsLength) {
  SlidingWindow window;
  window.add(at(0ms));
  window.add(at(1ms));
  EXPECT_EQ(window.count(at(kHour - 1ms), kHour), 2U);
  EXPECT_EQ(window.count(at(kHour), kHour), 1U);
  EXPECT_EQ(window.count(at(kHour + 1ms), kHour), 0U);
}

TEST(SlidingWindow, KeepsOneEntryForAllOfAMillisecond) {
  SlidingWindow window;
  for (int i = 0; i < 5; ++i) window.add(at(7ms));
  window.add(at(8ms), 3);
  const std::vector<std::pair<Timestamp, std::uint32_t>> all{{at(7ms), 5}, {at(8ms), 3}};
  EXPECT_EQ(window.since(at(0ms)), all);
  EXPECT_EQ(window.since(at(8ms)).size(), 1U);
  EXPECT_EQ(window.count(at(8ms), kHour), 8U);
  EXPECT_EQ(window.has_room(8, kHour), at(7ms + kHour));
  EXPECT_EQ(window.has_room(3, kHour), at(8ms + kHour));
}

TEST(SlidingWindow, LetsNothingLeaveEarlierWhenTheClockIsSetBack) {
  SlidingWindow window;
  window.add(at(10s));
  window.add(at(5s));
  EXPECT_EQ(window.count(at(5s + kHour), kHour), 2U);
  EXPECT_EQ(window.count(at(10s + kHour), kHour), 0U);
}

TEST(RateLimiter, CountsAsOneWhoLooksThroughAllRequests) {
  std::mt19937 random(4);
  RateLimiter limiter;
  Model user, key;
  constexpr std::uint64_t kUserLimit = 20, kKeyLimit = 12;
  auto now = 0ms;
  int refused = 0;
  for (int i = 0; i < 4'000; ++i) {
    now += std::chrono::milliseconds(random() % 4 == 0 ? random() % 900'000 : random() % 3);
    const bool with_key = random() % 3 > 0;
    const auto when = at(now);
    const auto verdict =
        limiter.count_user("user_1", kUserLimit, with_key ? "key_1" : "key_2",
                           with_key ? std::optional(kKeyLimit) : std::nullopt, when);
    const bool user_full = user.used(when, kHour) >= kUserLimit;
    const bool key_full = with_key && key.used(when, kHour) >= kKeyLimit;
    ASSERT_EQ(verdict.allowed, !user_full && !key_full) << i;
    if (verdict.allowed) {
      user.counted.push_back(when);
      if (with_key) key.counted.push_back(when);
      const auto user_left = kUserLimit - user.used(when, kHour);
      const auto key_left = kKeyLimit - key.used(when, kHour);
      const bool by_key = with_key && key_left < user_left;
      ASSERT_EQ(verdict.limit, by_key ? kKeyLimit : kUserLimit) << i;
      ASSERT_EQ(verdict.remaining, by_key ? key_left : user_left) << i;
      ASSERT_EQ(verdict.reset, (by_key ? key : user).oldest_leaves(when, kHour)) << i;
    } else {
      ++refused;
      const auto user_passes = user.has_room(kUserLimit, when, kHour);
      const auto key_passes = key.has_room(kKeyLimit, when, kHour);
      const auto passes = user_full && key_full ? std::max(user_passes, key_passes)
                          : user_full           ? user_passes
                                                : key_passes;
      ASSERT_EQ(verdict.reset, passes) << i;
      ASSERT_EQ(verdict.remaining, 0U);
      const auto wait = passes.at - when.at;
      ASSERT_GE(std::chrono::seconds(verdict.retry_after_seconds), wait);
      ASSERT_LT(std::chrono::seconds(verdict.retry_after_seconds) - 1s, wait);
    }
  }
  EXPECT_GT(refused, 200);
}

TEST(RateLimiter, TellsThatARequestWouldPassWhenItWould) {
  RateLimiter limiter;
  for (int i = 0; i < 3; ++i) limiter.count_user("u", 3, "k", {}, at(i * 100ms));
  const auto refused = limiter.count_user("u", 3, "k", {}, at(1s));
  ASSERT_FALSE(refused.allowed);
  EXPECT_EQ(refused.reset, at(kHour));
  EXPECT_EQ(refused.retry_after_seconds, 3'599);
  EXPECT_FALSE(limiter.count_user("u", 3, "k", {}, {refused.reset.at - 1ms}).allowed);
  EXPECT_TRUE(limiter.count_user("u", 3, "k", {}, refused.reset).allowed);
  EXPECT_FALSE(limiter.count_user("u", 3, "k", {}, refused.reset).allowed);
}

TEST(RateLimiter, AsksToWaitASecondAtLeast) {
  RateLimiter limiter;
  limiter.count_user("u", 1, "k", {}, at(0ms));
  EXPECT_EQ(limiter.count_user("u", 1, "k", {}, at(kHour - 1ms)).retry_after_seconds, 1);
}

TEST(RateLimiter, ShowsThePlanOnATie) {
  RateLimiter limiter;
  const auto tie = limiter.count_user("u", 5, "k", 5, at(0ms));
  EXPECT_EQ(tie.remaining, 4U);
  limiter.count_user("u", 5, "other", {}, at(1ms));
  const auto less = limiter.count_user("u", 5, "k", 4, at(2ms));
  EXPECT_EQ(less.limit, 5U) << "2 are left in both";
  EXPECT_EQ(less.remaining, 2U);
}

TEST(RateLimiter, FollowsAPlanChangeAtOnceAndKeepsTheCount) {
  RateLimiter limiter;
  for (int i = 0; i < 3; ++i) limiter.count_user("u", 3, "k", {}, at(i * 1s));
  EXPECT_FALSE(limiter.count_user("u", 3, "k", {}, at(4s)).allowed);
  EXPECT_EQ(limiter.count_user("u", 10, "k", {}, at(5s)).remaining, 6U);
  const auto down = limiter.count_user("u", 2, "k", {}, at(6s));
  EXPECT_FALSE(down.allowed);
  EXPECT_EQ(down.reset, at(2s + kHour)) << "when the third of four leaves, one is left";
}

TEST(RateLimiter, KeepsUsersAndAddressesApart) {
  RateLimiter limiter;
  limiter.count_user("u", 1, "k", {}, at(0ms));
  EXPECT_TRUE(limiter.count_user("v", 1, "k", {}, at(0ms)).allowed);
  EXPECT_TRUE(limiter.count_address("192.0.2.1", 1, at(0ms)).allowed);
  EXPECT_FALSE(limiter.count_address("192.0.2.1", 1, at(59'999ms)).allowed);
  EXPECT_TRUE(limiter.count_address("192.0.2.2", 1, at(0ms)).allowed);
  EXPECT_TRUE(limiter.count_address("192.0.2.1", 1, at(60s)).allowed);
}

TEST(RateLimiter, LooksAtAnAddressWithoutCounting) {
  RateLimiter limiter;
  EXPECT_EQ(limiter.look_at_address("a", 5, at(0ms)).remaining, 5U);
  limiter.count_address("a", 5, at(0ms));
  EXPECT_EQ(limiter.look_at_address("a", 5, at(1ms)).remaining, 4U);
  EXPECT_EQ(limiter.look_at_address("a", 5, at(1ms)).remaining, 4U);
}

TEST(RateLimiter, KnowsHowOftenAKeyWasUsed) {
  RateLimiter limiter;
  EXPECT_EQ(limiter.use_of("u", "k").count, 0U);
  limiter.count_user("u", 2, "k", {}, at(1s));
  limiter.count_user("u", 2, "k", {}, at(2s));
  limiter.count_user("u", 2, "k", {}, at(3s));  // refused
  EXPECT_EQ(limiter.use_of("u", "k").count, 2U);
  EXPECT_EQ(limiter.use_of("u", "k").last, at(2s));
}

TEST(RateLimiter, GoesOnFromWhatWasKept) {
  RateLimiter limiter, again;
  const auto keep = [&](Timestamp now) {
    for (const auto& change : limiter.take_changes(now)) again.restore(change);
  };
  limiter.count_user("u", 10, "k", 4, at(0ms));
  limiter.count_user("u", 10, "k", 4, at(1s));
  limiter.count_address("192.0.2.1", 10, at(1s));
  keep(at(1s));
  EXPECT_TRUE(limiter.take_changes(at(1s)).empty());
  limiter.count_user("u", 10, "k", 4, at(2s));
  limiter.count_user("u", 10, "other", {}, at(3s));
  keep(at(3s));

  EXPECT_EQ(again.use_of("u", "k").count, 3U);
  EXPECT_EQ(again.use_of("u", "k").last, at(2s));
  EXPECT_EQ(again.look_at_address("192.0.2.1", 10, at(4s)).remaining, 9U);
  const auto next = again.count_user("u", 10, "k", 4, at(4s));
  EXPECT_EQ(next.remaining, 0U) << "of the key's 4";
  EXPECT_EQ(next.reset, at(kHour));
  EXPECT_EQ(again.count_user("u", 10, "other", {}, at(5s)).remaining, 4U) << "of the user's 10";
}

}  // namespace
}  // namespace tilth
