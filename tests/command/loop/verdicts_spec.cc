#include <gtest/gtest.h>

#include "command/loop/verdicts.h"
#include "events/log/version_gate.h"

namespace tilth {
namespace {

const Result<Position> kDurable = Position{};
const Error kStale{ErrorCode::kStale, ""}, kUnknown{ErrorCode::kUnavailable, ""};

// A node whose job 1 waits for the record "me", decided when stream "s" was at version 1.
class VerdictsOf : public ::testing::Test {
 protected:
  static Record record(const std::string& stream, std::uint64_t version, std::string id) {
    return {stream, {.id = std::move(id), .stream_version = version}, "{}"};
  }

  void read(const Record& met) {
    const auto settled = verdicts.read(met, gate.admit(met));
    if (!settled) return;
    told += std::to_string(settled->job) +
            (settled->verdict == Verdict::kAccepted ? " accepted, " : " overtaken, ");
  }
  void SetUp() override { verdicts.await(mine, 1); }

  const Record mine = record("s", 1, "me");
  VersionGate gate{{{"s", {1, "first"}}, {"other", {1, "first"}}}};
  Verdicts verdicts;
  std::string told;
};

TEST_F(VerdictsOf, AcceptTheRecordThatMovesItsStreamOn) {
  read(mine);
  EXPECT_EQ(told, "1 accepted, ");
}

TEST_F(VerdictsOf, CallARecordOvertakenWhenAnotherTookItsVersion) {
  read(record("s", 1, "them"));
  EXPECT_EQ(told, "1 overtaken, ");
  read(mine);
  EXPECT_EQ(told, "1 overtaken, ");
}

TEST_F(VerdictsOf, WaitWhileTheStreamHasNotMoved) {
  read(record("other", 1, "x"));
  read(record("s", 2, "skips ahead"));
  read(record("s", 0, "late"));
  EXPECT_EQ(told, "");
}

TEST_F(VerdictsOf, CountCopiesOnce) {
  for (int copies = 0; copies < 3; ++copies) read(mine);
  EXPECT_EQ(told, "1 accepted, ");
}

TEST_F(VerdictsOf, AreNotToldByAnAcknowledgement) {
  EXPECT_FALSE(verdicts.asks_again(mine, kDurable));
  EXPECT_FALSE(verdicts.asks_again(mine, kStale));  // perhaps because of its own copy
  EXPECT_EQ(told, "");
  read(mine);
  EXPECT_EQ(told, "1 accepted, ");
}

TEST_F(VerdictsOf, AskForTheSameRecordAgainWhenItsOutcomeIsUnknown) {
  EXPECT_TRUE(verdicts.asks_again(mine, kUnknown));
  EXPECT_TRUE(verdicts.asks_again(mine, kUnknown));
  read(mine);  // the first copy was appended
  EXPECT_FALSE(verdicts.asks_again(mine, kUnknown));
  read(mine);
  EXPECT_EQ(told, "1 accepted, ");
}

TEST_F(VerdictsOf, DoNotMistakeALateAcknowledgementForThatOfTheNextRecord) {
  read(record("s", 1, "them"));
  verdicts.await(record("s", 2, "again"), 2);
  EXPECT_FALSE(verdicts.asks_again(mine, kUnknown));
  read(mine);
  read(record("s", 2, "again"));
  EXPECT_EQ(told, "1 overtaken, 2 accepted, ");
}

}  // namespace
}  // namespace tilth
