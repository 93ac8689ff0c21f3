#include "api/usage/byte_quota.h"

#include <string>

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

class ByteQuotaTest : public ::testing::Test {
 protected:
  void add(std::size_t bytes, const std::string& owner = "ada") {
    quota_.add(owner, bytes, now_, now_);
  }
  // The seconds to wait; 0 if another change is allowed.
  std::int64_t closed_for(std::optional<std::int64_t> limit = 1'000,
                          const std::string& owner = "ada") {
    const auto within = quota_.check(owner, limit, now_);
    return within ? 0 : within.error().retry_after_seconds;
  }
  void wait(std::chrono::milliseconds time) { now_ = {now_.at + time}; }

  ByteQuota quota_;
  Timestamp now_ = Timestamp::parse("2026-03-01T12:00:10Z").value();
};

TEST_F(ByteQuotaTest, AllowsUntilTheLimitIsReached) {
  EXPECT_EQ(closed_for(), 0);
  add(999);
  EXPECT_EQ(closed_for(), 0);
  add(1);
  EXPECT_EQ(closed_for(), 3'650);
  EXPECT_EQ(quota_.refused(), 1U);
}

TEST_F(ByteQuotaTest, LetsEachMinuteLeaveAnHourAfterItsEnd) {
  add(600);
  wait(10min);
  add(600);
  EXPECT_EQ(closed_for(), 50 * 60 + 50);
  EXPECT_EQ(closed_for(600), 60 * 60 + 50);
  wait(std::chrono::seconds(50 * 60 + 50) - 1ms);
  EXPECT_EQ(closed_for(), 1);
  wait(1ms);
  EXPECT_EQ(closed_for(), 0);
  EXPECT_EQ(closed_for(600), 10 * 60);
}

TEST_F(ByteQuotaTest, CountsEachOwnerForItself) {
  add(5'000);
  EXPECT_EQ(closed_for(1'000, "bob"), 0);
}

TEST_F(ByteQuotaTest, NeverRefusesWithoutALimit) {
  add(1'000'000'000);
  EXPECT_EQ(closed_for(std::nullopt), 0);
}

TEST_F(ByteQuotaTest, ANodeWhoseClockIsAheadClosesItForNoLonger) {
  quota_.add("ada", 999, {now_.at + 10h}, now_);
  add(1);
  EXPECT_EQ(closed_for(), 3'650);
  wait(std::chrono::seconds(3'650));
  EXPECT_EQ(closed_for(), 0);
}

TEST_F(ByteQuotaTest, CountsWhatAnEarlierClockSays) {
  add(500);
  now_ = {now_.at - 5min};
  add(500);
  now_ = {now_.at + 5min};
  EXPECT_EQ(closed_for(), 3'650);
}

}  // namespace
}  // namespace tilth
