// How the end of a log is queried while the log is unavailable.

#include <gtest/gtest.h>

#include "events/log/log_end.h"
#include "tests/fixtures/flaky_log.h"

namespace tilth::testing {
namespace {

class EndsOf : public ::testing::Test {
 protected:
  void fail(std::size_t times, ErrorCode code) {
    log.end_faults.assign(times, Error{code, "Its leader changes."});
  }

  FlakyLog log;
};

TEST_F(EndsOf, AsksAgainWhileTheLogIsUnavailable) {
  fail(3, ErrorCode::kUnavailable);
  const auto ends = ends_of(log);
  ASSERT_TRUE(ends) << ends.error().message;
  EXPECT_EQ(*ends, (std::vector<Position>{{0, 0}, {1, 0}}));
}

TEST_F(EndsOf, GivesUp) {
  fail(1'000, ErrorCode::kUnavailable);
  EXPECT_FALSE(ends_of(log));
}

TEST_F(EndsOf, DoesNotAskAgainWhatIsLost) {
  fail(1, ErrorCode::kLost);
  EXPECT_FALSE(ends_of(log));
  EXPECT_EQ(log.ends_asked, 1);
}

}  // namespace
}  // namespace tilth::testing
