#include "infra/embedded/log_cut.h"

#include <gmock/gmock.h>

#include "infra/embedded/log_check.h"
#include "tests/infra/embedded/log_in_directory.h"

namespace tilth::testing {
namespace {

using ::testing::HasSubstr;

// Ten records of two streams, one in each minute from 12:00 on.
class LogCutting : public LogInDirectory {
 protected:
  void SetUp() override {
    options.tail_bytes = 0;
    ASSERT_EQ(open(), "open");
    for (std::uint64_t i = 0; i < 10; ++i) {
      auto made = record(i % 2 == 0 ? "user_1" : "user_2", i / 2, std::to_string(i));
      made.envelope.time = *Timestamp::parse("2026-05-01T12:0" + std::to_string(i) + ":00Z");
      ASSERT_TRUE(start(std::move(made)).get());
    }
  }

  // Where the log then ends, or why it was not cut.
  std::string cut(const LogMoment& moment) {
    log.reset();
    const auto done = cut_log(path(), {}, moment);
    const auto opened = open();
    if (opened != "open") return opened;
    return done ? std::to_string(done->end) + " of " + std::to_string(done->former) + ", " +
                      done->time.text()
                : done.error().message;
  }

  const TemporaryDirectory archive;
};

TEST_F(LogCutting, KeepsWhatHappenedUntilThenAndGoesOnFromThere) {
  EXPECT_EQ(cut({.at = Timestamp::parse("2026-05-01T12:06:30Z")}),
            "7 of 10, 2026-05-01T12:06:00.000Z");
  EXPECT_EQ(read(), "0 1 2 3 4 5 6 ");
  EXPECT_EQ(append("user_1", 5, "lost"), "stale") << "the versions are those of then";
  EXPECT_EQ(append("user_1", 4, "7"), "durable");
  EXPECT_EQ(append("user_2", 3, "8"), "durable");
  EXPECT_EQ(open(), "open");
  EXPECT_EQ(read(), "0 1 2 3 4 5 6 7 8 ");
}

TEST_F(LogCutting, KeepsTheRecordAtAnOffsetOrOfThatVeryInstant) {
  EXPECT_EQ(cut({.at = Timestamp::parse("2026-05-01T12:08:00Z")}),
            "9 of 10, 2026-05-01T12:08:00.000Z");
  EXPECT_EQ(cut({.offset = 0}), "1 of 9, 2026-05-01T12:00:00.000Z");
  EXPECT_EQ(append("user_2", 0, "first"), "durable") << "that stream never was";
  EXPECT_EQ(read(), "0 first ");
}

// The clock was set back meanwhile.
TEST_F(LogCutting, LosesAllThatFollowsTheFirstLaterRecord) {
  auto early = record("user_1", 5, "10");
  early.envelope.time = *Timestamp::parse("2026-05-01T12:03:00Z");
  ASSERT_TRUE(start(std::move(early)).get());
  EXPECT_EQ(cut({.at = Timestamp::parse("2026-05-01T12:06:30Z")}),
            "7 of 11, 2026-05-01T12:06:00.000Z");
  EXPECT_EQ(read(), "0 1 2 3 4 5 6 ");
}

TEST_F(LogCutting, ChangesNothingIfNothingIsLaterOrNothingIsThatOld) {
  EXPECT_EQ(cut({.offset = 9}), "10 of 10, 2026-05-01T12:09:00.000Z");
  EXPECT_THAT(cut({.offset = 10}), HasSubstr("no record at offset 10: it ends at offset 9."));
  EXPECT_THAT(cut({.at = Timestamp::parse("2026-05-01T11:59:00Z")}), HasSubstr("that old"));
  EXPECT_EQ(read(), "0 1 2 3 4 5 6 7 8 9 ");
}

TEST_F(LogCutting, TakesAnArchiveBackToo) {
  ASSERT_TRUE(log->archive({.directory = archive.path(), .end = 8, .file_bytes = 300}));
  ASSERT_GT(log->archived().state().files, 1);
  EXPECT_EQ(cut({.offset = 4}), "5 of 10, 2026-05-01T12:04:00.000Z");
  EXPECT_EQ(read(), "0 1 2 3 4 ");
  EXPECT_EQ(append("user_2", 2, "5"), "durable");
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), "0 1 2 3 4 5 ");
  const TemporaryDirectory aside;
  ASSERT_TRUE(log->copy_to(aside.path() / "copy"));
  const auto checked = check_log(aside.path() / "copy", {}, [](auto, auto) { return true; });
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(*checked, 6);
}

TEST_F(LogCutting, EndsAnArchiveWithinAFile) {
  ASSERT_TRUE(log->archive({.directory = archive.path(), .end = 8}));
  ASSERT_EQ(log->archived().state().files, 1);
  EXPECT_EQ(cut({.offset = 4}), "5 of 10, 2026-05-01T12:04:00.000Z");
  EXPECT_EQ(log->archived().end(), 5);
  EXPECT_EQ(append("user_2", 2, "new"), "durable");
  EXPECT_EQ(read(), "0 1 2 3 4 new ");
}

}  // namespace
}  // namespace tilth::testing
