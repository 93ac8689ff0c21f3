#include "projections/fold/fold_rate.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

const FoldRate::Steady::time_point kBegin{};
const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();

TEST(FoldRate, TellsHowManyRecordsAreFoldedInASecondFromTheFirstSecondOn) {
  FoldRate pace(kBegin);
  for (int tenth = 1; tenth <= 10; ++tenth) pace.folded(100, kBegin + tenth * 100ms);
  EXPECT_NEAR(pace.per_second(kBegin + 1s), 1'000, 20);
  for (int tenth = 11; tenth <= 600; ++tenth) pace.folded(200, kBegin + tenth * 100ms);
  EXPECT_NEAR(pace.per_second(kBegin + 60s), 2'000, 40);
}

TEST(FoldRate, ForgetsWhatWasFoldedLongAgo) {
  FoldRate pace(kBegin);
  pace.folded(1'000'000, kBegin + 1s);
  EXPECT_EQ(pace.per_second(kBegin + 10min), 0);
}

TEST(FoldRate, IsNoneBeforeAnythingWasFolded) {
  EXPECT_EQ(FoldRate(kBegin).per_second(kBegin), 0);
  EXPECT_EQ(FoldRate(kBegin).per_second(kBegin + 1s), 0);
}

TEST(FoldRate, WhoNeverCaughtUpIsBehindSinceTheLastRecordThatItFolded) {
  const FoldRate pace(kBegin);
  EXPECT_EQ(pace.seconds_behind(kBegin + 1s, Timestamp{kNoon.at - 90s}, kNoon), 90);
  EXPECT_EQ(pace.seconds_behind(kBegin + 1s, std::nullopt, kNoon), 1);
}

// Otherwise the first event of the morning would look like a lag of a whole night.
TEST(FoldRate, WhoWasAtTheEndJustNowIsNotBehindSinceItsLastRecord) {
  FoldRate pace(kBegin);
  pace.caught_up(kBegin + 8h);
  EXPECT_EQ(pace.seconds_behind(kBegin + 8h + 3s, Timestamp{kNoon.at - 8h}, kNoon), 3);
}

TEST(FoldRate, IsNotBehindForLongerThanSinceTheRecordThatItFoldedJustNow) {
  FoldRate pace(kBegin);
  pace.caught_up(kBegin);
  EXPECT_EQ(pace.seconds_behind(kBegin + 1h, Timestamp{kNoon.at - 2s}, kNoon), 2);
}

// Clocks of other nodes may be ahead.
TEST(FoldRate, IsNeverBehindForLessThanNothing) {
  EXPECT_EQ(FoldRate(kBegin).seconds_behind(kBegin + 1s, Timestamp{kNoon.at + 5s}, kNoon), 0);
}

}  // namespace
}  // namespace tilth
