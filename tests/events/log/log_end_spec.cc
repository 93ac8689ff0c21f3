// How the end of a log is queried while the log is unavailable.

#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "events/log/log_end.h"
#include "tests/fixtures/flaky_log.h"
#include "tests/fixtures/passing_log.h"

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

TEST_F(EndsOf, AsksForThesePartitionsAlone) {
  const auto ends = ends_of(log, {1});
  ASSERT_TRUE(ends) << ends.error().message;
  EXPECT_EQ(*ends, (std::vector<Position>{{1, 0}}));
  EXPECT_EQ(log.ends_asked, 1);
}

TEST_F(EndsOf, GivesUp) {
  fail(1'000, ErrorCode::kUnavailable);
  EXPECT_FALSE(ends_of(log));
}

TEST_F(EndsOf, DoesNotAskAgainWhatIsLost) {
  fail(1, ErrorCode::kLost);
  EXPECT_FALSE(ends_of(log));
  EXPECT_EQ(log.ends_asked, 2) << "each partition once";
}

// Knows no end before it has been asked for all.
class LogThatAnswersTogether final : public PassingLog {
 public:
  using PassingLog::PassingLog;

  void end(int partition, OnEnd done) override {
    waiting_.emplace_back(10 + partition, std::move(done));
    if (std::ssize(waiting_) < partitions()) return;
    for (const auto& [end, told] : waiting_ | std::views::reverse) told(end);
  }

 private:
  std::vector<std::pair<std::int64_t, OnEnd>> waiting_;
};

TEST(EndsOfPartitions, AreAskedForAtTheSameTime) {
  MemoryEventLog memory(3);
  LogThatAnswersTogether log(memory);
  const auto ends = ends_of(log);
  ASSERT_TRUE(ends) << ends.error().message;
  EXPECT_EQ(*ends, (std::vector<Position>{{0, 10}, {1, 11}, {2, 12}}));
}

}  // namespace
}  // namespace tilth::testing
