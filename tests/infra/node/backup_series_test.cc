#include "infra/node/backup_series.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "infra/keys/owner_keys.h"
#include "infra/system/whole_file.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

namespace fs = std::filesystem;

class BackupSeries : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(series);
    fs::create_directory(data);
    write("log", "old");
    write("rows", "as they are");
  }

  void write(const std::string& name, const std::string& content) const {
    ASSERT_TRUE(write_whole_file(data / name, content, 0600));
  }

  // The bytes that were copied, or why not.
  std::string back_up(int minute) const {
    const auto made = back_up_sharing(at(minute), directory.path() / "aside",
                                      {copy_of_file(data / "rows"), copy_of_file(data / "log")});
    EXPECT_FALSE(fs::exists(directory.path() / "aside"));
    return made ? std::to_string(made->copied) : made.error().message;
  }

  fs::path at(int minute) const {
    return backup_of(series,
                     *Timestamp::parse("2026-05-01T12:0" + std::to_string(minute) + ":00Z"));
  }

  // "ok", or why not.
  std::string restored(int minute) const {
    const auto fresh = directory.path() / ("fresh-" + std::to_string(minute));
    const auto done = restore(
        at(minute), fresh, [](auto, auto) {}, [](const auto&) { return kDone; });
    fs::remove_all(fresh);
    return done ? "ok" : done.error().message;
  }

  const testing::TemporaryDirectory directory;
  const fs::path series = directory.path() / "backups", data = directory.path() / "data";
};

TEST_F(BackupSeries, SharesFilesThatDidNotChange) {
  EXPECT_EQ(back_up(1), "14");
  write("log", "older");
  EXPECT_EQ(back_up(2), "5");
  EXPECT_EQ(at(2).filename(), "2026-05-01T12-02-00.000Z");
  EXPECT_EQ(fs::hard_link_count(at(1) / "rows"), 2U);
  EXPECT_EQ(**read_whole_file(at(1) / "log"), "old");
  EXPECT_EQ(**read_whole_file(at(2) / "log"), "older");
  EXPECT_EQ(restored(1) + " " + restored(2), "ok ok");
  EXPECT_EQ(backups_in(series), (std::vector{at(1), at(2)}));
}

TEST_F(BackupSeries, NeverSharesAFileThatTheDiskHasDamaged) {
  ASSERT_EQ(back_up(1), "14");
  ASSERT_TRUE(write_whole_file(at(1) / "rows", "as they arE", 0600));
  EXPECT_EQ(back_up(2), "11");
  EXPECT_EQ(restored(2), "ok");
  EXPECT_NE(restored(1), "ok");
}

TEST_F(BackupSeries, KeepsTheNewestAndRemovesWhatAKillHasLeft) {
  for (int minute = 1; minute <= 4; ++minute) ASSERT_NE(back_up(minute), "");
  fs::create_directory(fs::path(at(3)) += ".partial-77");
  fs::remove(at(2) / "backup");  // half removed
  fs::create_directory(series / "of-somebody-else");
  ASSERT_TRUE(remove_old_backups(series, 2));
  EXPECT_EQ(backups_in(series), (std::vector{at(3), at(4)}));
  EXPECT_FALSE(fs::exists(at(1)) || fs::exists(at(2)));
  EXPECT_FALSE(fs::exists(fs::path(at(3)) += ".partial-77"));
  EXPECT_TRUE(fs::exists(series / "of-somebody-else"));
  EXPECT_EQ(restored(3) + " " + restored(4), "ok ok") << "links outlive what they were made from";
}

TEST_F(BackupSeries, OverwritesTheOwnersKeysInWhatItRemoves) {
  const auto keys = [](const fs::path& to) -> Status {
    fs::create_directory(to);
    for (const auto* name : {"user_1.key", "user_2.key"}) {
      const auto written = write_whole_file(to / name, std::string(32, 'k'), 0600);
      if (!written) return written;
    }
    return kDone;
  };
  for (int minute = 1; minute <= 2; ++minute) {
    ASSERT_TRUE(back_up_sharing(at(minute), directory.path() / "aside", {{kOwnerKeys, keys}}));
  }
  const auto kept = directory.path() / "kept";
  fs::create_hard_link(at(1) / kOwnerKeys / "user_2.key", kept);
  std::ifstream removed(at(1) / kOwnerKeys / "user_1.key", std::ios::binary);
  ASSERT_TRUE(remove_old_backups(series, 1));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(removed), {}), std::string(32, '\0'));
  EXPECT_EQ(**read_whole_file(kept), std::string(32, 'k')) << "a copy made of links stays whole";
  EXPECT_EQ(**read_whole_file(at(2) / kOwnerKeys / "user_1.key"), std::string(32, 'k'));
}

TEST_F(BackupSeries, NeverRemovesABackupThatItCannotReadOrThatALaterVersionMade) {
  for (int minute = 1; minute <= 3; ++minute) ASSERT_NE(back_up(minute), "");
  ASSERT_TRUE(write_whole_file(at(1) / "backup", "tilth backup 3\n", 0600));
  EXPECT_TRUE(remove_old_backups(series, 1));
  EXPECT_TRUE(fs::exists(at(1) / "rows"));
  EXPECT_FALSE(fs::exists(at(2)));
  fs::remove(at(1) / "backup");
  fs::create_directory(at(1) / "backup");  // reading it fails
  EXPECT_FALSE(remove_old_backups(series, 1));
  EXPECT_TRUE(fs::exists(at(1) / "rows"));
}

TEST_F(BackupSeries, SharesNothingWithWhatLiesInTheWorkingDirectory) {
  const auto before = fs::current_path();
  fs::current_path(data);  // as the image of the container has it
  EXPECT_EQ(back_up(1), "14");
  fs::current_path(before);
  EXPECT_EQ(fs::hard_link_count(data / "rows"), 1U);
}

TEST_F(BackupSeries, NeedsADirectory) {
  fs::remove(series);
  EXPECT_NE(back_up(1).find("There is no directory"), std::string::npos);
}

}  // namespace
}  // namespace tilth
