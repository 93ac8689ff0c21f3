#include "infra/webhooks/retry_schedule.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

TEST(RetrySchedule, TriesTenTimesMore) {
  const std::array<std::chrono::milliseconds, 10> expected{5s, 1min, 5min, 30min, 2h,
                                                           5h, 10h,  14h,  20h,   24h};
  for (std::int64_t attempt = 1; attempt <= 10; ++attempt) {
    EXPECT_EQ(retry_delay(attempt, 0.5), expected.at(static_cast<std::size_t>(attempt - 1)));
  }
  EXPECT_FALSE(retry_delay(11, 0.5));
  EXPECT_FALSE(retry_delay(0, 0.5));
}

TEST(RetrySchedule, SpreadsByATenth) {
  EXPECT_EQ(retry_delay(1, 0), 4'500ms);
  EXPECT_EQ(retry_delay(1, 1), 5'500ms);
  EXPECT_EQ(retry_delay(10, 0), 21h + 36min);
  EXPECT_EQ(retry_delay(10, 1), 26h + 24min);
}

}  // namespace
}  // namespace tilth
