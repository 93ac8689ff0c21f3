#include <gmock/gmock.h>

#include "tests/infra/embedded/log_in_directory.h"
#include "tests/infra/embedded/wal_file.h"

namespace tilth::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A log with the records a, b and c, and the length of its write-ahead log without c and with it.
class TornTail : public LogInDirectory {
 protected:
  TornTail() : LogInDirectory(TemporaryDirectory::memory()) {}

  void SetUp() override {
    ASSERT_EQ(open(), "open");
    append("user_1", 0, "a");
    append("user_1", 1, "b");
    wal = file_with(path(), ".log");
    before_c = end_of_writes(wal);
    append("user_1", 2, "c");
    log.reset();
    whole = content(wal);
    std::filesystem::copy(path(), untouched.path() / "log");
  }

  // Opens the original directory, but with these bytes as the write-ahead log.
  std::string open_with(const std::string& bytes) {
    log.reset();
    said.clear();
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      std::filesystem::remove_all(entry.path());
    }
    std::filesystem::copy(untouched.path() / "log", path());
    overwrite(wal, bytes);
    return open();
  }

  static std::string torn(std::size_t bytes, const std::string& after) {
    return "The log's tail was torn: " + std::to_string(bytes) + " bytes after " + after +
           " were never acknowledged and have been cut.";
  }

  TemporaryDirectory untouched{TemporaryDirectory::memory()};
  std::filesystem::path wal;
  std::size_t before_c = 0;
  std::string whole;
};

TEST_F(TornTail, IsCutAndSaidWhereverItIsTorn) {
  ASSERT_GT(whole.size(), before_c + 50);
  for (std::size_t kept = before_c + 1; kept < whole.size(); ++kept) {
    SCOPED_TRACE(kept);
    ASSERT_EQ(open_with(whole.substr(0, kept)), "open");
    const auto bytes = whole.substr(before_c, kept - before_c).find_last_not_of('\0') + 1;
    ASSERT_THAT(said, ElementsAre(torn(bytes, "offset 1")));
    ASSERT_EQ(read(), "a b ");
  }
}

TEST_F(TornTail, IsNotSaidOfALogThatIsWhole) {
  EXPECT_EQ(open_with(whole), "open");
  EXPECT_EQ(read(), "a b c ");
  EXPECT_EQ(open_with(whole.substr(0, before_c)), "open");
  EXPECT_EQ(read(), "a b ");
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(TornTail, LeavesALogThatGoesOn) {
  ASSERT_EQ(open_with(whole.substr(0, whole.size() - 1)), "open");
  EXPECT_EQ(append("user_1", 2, "d"), "durable");
  said.clear();
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), "a b d ");
  EXPECT_THAT(said, IsEmpty());
}

// A killed process may leave a write-ahead log whose records are in the tables by then.
TEST_F(TornTail, IsCutAfterAnObsoleteFileThatOutlivedALaterOne) {
  ASSERT_EQ(open_with(whole), "open");
  append("user_1", 3, "d");  // in a new file
  ASSERT_EQ(open(), "open");
  append("user_1", 4, "e");
  append("user_1", 5, "f");
  log.reset();
  const auto newest = file_with(path(), ".log");
  const auto bytes = content(newest);
  overwrite(wal, whole);
  for (const auto& tail : {bytes.substr(0, bytes.size() - 1), bytes + std::string(300, '\x5A')}) {
    const TemporaryDirectory left(TemporaryDirectory::memory());
    overwrite(newest, tail);
    std::filesystem::copy(path(), left.path() / "log");
    said.clear();
    const auto opened = EmbeddedEventLog::open(left.path() / "log", options);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(said.size(), 1U);
  }
  overwrite(newest, bytes.substr(0, bytes.size() - 1));
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), "a b c d e ");
}

TEST_F(TornTail, IsCutWhenItHoldsGarbage) {
  for (const std::string& tail : {std::string(300, '\x5A'), std::string(40'000, '\1')}) {
    for (const std::string& zeros :
         {std::string(), std::string(3, '\0'), std::string(40'000, '\0')}) {
      ASSERT_EQ(open_with(whole + tail + zeros), "open");
      EXPECT_THAT(said, ElementsAre(torn(tail.size(), "offset 2")));
      EXPECT_EQ(read(), "a b c ");
    }
  }
  std::string unwritten = whole;  // its length reached the disk, but its bytes did not
  std::fill(unwritten.begin() + static_cast<std::ptrdiff_t>(before_c) + 20, unwritten.end(), '\0');
  ASSERT_EQ(open_with(unwritten), "open");
  const auto bytes = unwritten.substr(before_c).find_last_not_of('\0') + 1;
  EXPECT_THAT(said, ElementsAre(torn(bytes, "offset 1")));
  EXPECT_EQ(read(), "a b ");
}

// They are there because no write had replaced them when the process ended.
TEST_F(TornTail, IsNoneOfZerosAlone) {
  for (const std::size_t zeros : {1U, 6U, 300U, 32'768U, 262'144U}) {
    ASSERT_EQ(open_with(whole + std::string(zeros, '\0')), "open");
    EXPECT_EQ(append("user_1", 3, "d"), "durable");
    ASSERT_EQ(open(), "open");
    EXPECT_EQ(read(), "a b c d ");
    EXPECT_THAT(said, IsEmpty());
  }
}

TEST_F(TornTail, IsCutThroughARecordOfManyBlocks) {
  ASSERT_EQ(open_with(whole), "open");
  Record large = record("user_2", 0, "large");
  large.json = std::string(200'000, 'x');
  ASSERT_TRUE(start(large).get());
  log.reset();
  // Opening has moved a, b and c out of the write-ahead log.
  wal = file_with(path(), ".log");
  const std::string bytes = content(wal);
  std::filesystem::remove_all(untouched.path() / "log");
  std::filesystem::copy(path(), untouched.path() / "log");
  for (const std::size_t kept : {1U, 7U, 32'767U, 32'768U, 32'770U, 32'775U, 65'536U, 200'000U}) {
    ASSERT_EQ(open_with(bytes.substr(0, kept)), "open");
    EXPECT_THAT(said, ElementsAre(torn(kept, "offset 2")));
    EXPECT_EQ(read(), "a b c ");
  }
  // A disk may write blocks that were never synced in any order.
  std::string holed = bytes;
  std::fill(holed.begin() + 32'768, holed.begin() + 65'536, '\0');
  ASSERT_EQ(open_with(holed), "open");
  EXPECT_THAT(said, ElementsAre(torn(bytes.find_last_not_of('\0') + 1, "offset 2")));
}

}  // namespace
}  // namespace tilth::testing
