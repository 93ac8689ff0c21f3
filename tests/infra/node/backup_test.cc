#include "infra/node/backup.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "infra/system/whole_file.h"
#include "tests/fixtures/power_cut_files.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

TEST(Restore, TellsHowFarItIs) {
  const testing::TemporaryDirectory directory;
  const auto log = directory.path() / "log", rows = directory.path() / "rows";
  ASSERT_TRUE(write_whole_file(log, std::string(3'000, 'l'), 0600));
  ASSERT_TRUE(write_whole_file(rows, std::string(5'000, 'r'), 0600));
  const auto backup = directory.path() / "backup";
  const auto bytes = back_up(backup, {copy_of_file(log), copy_of_file(rows)});
  ASSERT_TRUE(bytes);
  std::vector<std::pair<std::uintmax_t, std::uintmax_t>> told;
  const auto fresh = directory.path() / "fresh";
  ASSERT_TRUE(restore(
      backup, fresh, [&](auto copied, auto total) { told.emplace_back(copied, total); },
      [](const auto&) { return kDone; }));
  ASSERT_EQ(told.size(), 3U) << "the two files, and the description of the backup";
  EXPECT_LT(told[0].first, told[1].first);
  EXPECT_LT(told[1].first, told[2].first);
  EXPECT_EQ(told[2], std::pair(*bytes, *bytes));
  EXPECT_EQ(*read_whole_file(fresh / "rows"), *read_whole_file(rows));
}

TEST(Backup, MayLieNextToADirectoryCalledBackup) {
  const testing::TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "backup");
  const auto made = back_up(directory.path() / "monday", {});
  EXPECT_TRUE(made) << made.error().message;
  const auto restored = restore(
      directory.path(), directory.path() / "fresh", [](auto, auto) {},
      [](const auto&) { return kDone; });
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::kNotFound);
}

TEST(Backup, NeedsADirectoryAbove) {
  const testing::TemporaryDirectory directory;
  ASSERT_TRUE(write_whole_file(directory.path() / "file", "", 0600));
  for (const auto* above : {"file", "missing"}) {
    const auto made = back_up(directory.path() / above / "monday", {});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::kInvalid) << made.error().message;
  }
}

TEST(Restore, MakesNothingOfWhatIsFoundToBeDamaged) {
  const testing::TemporaryDirectory directory;
  const auto log = directory.path() / "log", fresh = directory.path() / "fresh";
  ASSERT_TRUE(write_whole_file(log, "damaged before it was copied", 0600));
  const auto backup = directory.path() / "backup";
  ASSERT_TRUE(back_up(backup, {copy_of_file(log)}));
  const auto restored = restore(
      backup, fresh, [](auto, auto) {},
      [](const auto& made) {
        return Status(Error{ErrorCode::kDamaged, **read_whole_file(made / "log")});
      });
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().message, "damaged before it was copied");
  const std::filesystem::directory_iterator left(directory.path());
  EXPECT_EQ(std::distance(begin(left), end(left)), 2) << "the log and its backup";
}

TEST(Restore, RefusesADirectoryWithinTheBackup) {
  const testing::TemporaryDirectory directory;
  const auto log = directory.path() / "log", backup = directory.path() / "backup";
  ASSERT_TRUE(write_whole_file(log, "records", 0600));
  ASSERT_TRUE(back_up(backup, {copy_of_file(log)}));
  const auto restored = restore(
      backup, backup / "new", [](auto, auto) {}, [](const auto&) { return Status(kDone); });
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::kConflict) << restored.error().message;
  EXPECT_TRUE(restore(
      backup, directory.path() / "new", [](auto, auto) {},
      [](const auto&) { return Status(kDone); }));
}

TEST(Restore, OverwritesTheKeysThatItHasCopiedInVain) {
  const testing::TemporaryDirectory directory;
  const auto key = directory.path() / "user_1.key", fresh = directory.path() / "fresh",
             seen = directory.path() / "seen";
  ASSERT_TRUE(write_whole_file(key, std::string(32, 'k'), 0600));
  const auto backup = directory.path() / "backup";
  auto part = copy_of_file(key);
  part.name = "owner-keys" / part.name;
  ASSERT_TRUE(back_up(backup, {part}));
  for (const auto& outcome : {Status(Error{ErrorCode::kDamaged, "no"}), Status(kDone)}) {
    const auto restored = restore(
        backup, fresh, [](auto, auto) {},
        [&](const auto& made) {
          std::filesystem::create_hard_link(made / "owner-keys" / "user_1.key", seen);
          return outcome;
        });
    EXPECT_EQ(static_cast<bool>(restored), static_cast<bool>(outcome));
    EXPECT_EQ(**read_whole_file(seen), std::string(32, outcome ? 'k' : '\0'));
    std::filesystem::remove(seen);
  }
  EXPECT_EQ(**read_whole_file(backup / "owner-keys" / "user_1.key"), std::string(32, 'k'));
}

class BackupPowerCut : public ::testing::Test {
 protected:
  bool back_up_log() {
    auto log = copy_of_file(source.path() / "log");
    log.name = "log/1";
    return bool(back_up(backup, {log, copy_of_file(source.path() / "key.secret")}));
  }
  bool restore_it(const std::filesystem::path& fresh, bool into_empty = false) {
    return bool(restore(
        backup, fresh, [](auto, auto) {}, [](auto&) { return kDone; }, into_empty));
  }
  static std::string content(const std::filesystem::path& restored) {
    return (*read_whole_file(restored / "log" / "1")).value_or("no log") + " and " +
           (*read_whole_file(restored / "key.secret")).value_or("no secret");
  }
  static void cut_at_each_sync_in(const testing::TemporaryDirectory& directory,
                                  const std::function<void()>& work,
                                  const std::function<void()>& check) {
    testing::hit_each_sync(directory.path(), testing::AtSync::kLosesPower,
                           {.work = work, .check = check});
  }

  void SetUp() override {
    ASSERT_TRUE(write_whole_file(source.path() / "log", "records", 0600));
    ASSERT_TRUE(write_whole_file(source.path() / "key.secret", "secret", 0600));
  }

  const testing::TemporaryDirectory source, backups{testing::TemporaryDirectory::memory()},
      restored{testing::TemporaryDirectory::memory()};
  const std::filesystem::path backup = backups.path() / "monday";
};

TEST_F(BackupPowerCut, LeavesAWholeBackupOrNone) {
  bool made = false;
  cut_at_each_sync_in(
      backups, [&] { made = back_up_log(); },
      [&] {
        EXPECT_EQ(std::filesystem::exists(backup), is_backup(backup));
        EXPECT_TRUE(!made || is_backup(backup));
        if (!is_backup(backup)) return;
        const auto fresh = source.path() / "fresh";
        ASSERT_TRUE(restore_it(fresh));
        EXPECT_EQ(content(fresh), "records and secret");
        std::filesystem::remove_all(fresh);
      });
}

TEST_F(BackupPowerCut, LeavesNoBackupThatWasUnmarked) {
  bool unmarked = false;
  cut_at_each_sync_in(
      backups, [&] { unmarked = back_up_log() && unmark_backup(backup); },
      [&] { EXPECT_TRUE(!unmarked || !is_backup(backup)); });
}

TEST_F(BackupPowerCut, LeavesAWholeRestoredDirectoryOrNone) {
  ASSERT_TRUE(back_up_log());
  const auto fresh = restored.path() / "fresh";
  bool made = false;
  cut_at_each_sync_in(
      restored, [&] { made = restore_it(fresh); },
      [&] {
        ASSERT_EQ(content(fresh), made || std::filesystem::exists(fresh) ? "records and secret"
                                                                         : "no log and no secret");
      });
}

TEST_F(BackupPowerCut, LeavesAMarkWhereItWasNotWhollyRestoredInPlace) {
  ASSERT_TRUE(back_up_log());
  const auto fresh = restored.path() / "deep" / "fresh";
  bool made = false;
  cut_at_each_sync_in(
      restored, [&] { made = restore_it(fresh, true); },
      [&] {
        if (made) {
          ASSERT_EQ(content(fresh), "records and secret");
          ASSERT_FALSE(std::filesystem::exists(fresh / kRestoring)) << "it could not be opened";
        }
        if (content(fresh) == "records and secret") return;
        ASSERT_TRUE(content(fresh) == "no log and no secret" ||
                    std::filesystem::exists(fresh / kRestoring));
        ASSERT_TRUE(restore_it(fresh, true)) << "the next one replaces it";
        ASSERT_EQ(content(fresh), "records and secret");
      });
}

}  // namespace
}  // namespace tilth
