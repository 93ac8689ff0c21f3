#include "infra/node/backup.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "infra/embedded/owner_key_files.h"
#include "infra/system/whole_file.h"
#include "tests/fixtures/gate_file.h"
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

TEST(Backup, IsNotMadeAnywhereInAnother) {
  const testing::TemporaryDirectory directory;
  const auto monday = directory.path() / "monday", other = directory.path() / "other";
  ASSERT_TRUE(back_up(monday, {}));
  ASSERT_TRUE(back_up(other, {}));
  std::filesystem::create_directories(monday / "in" / "there");
  std::filesystem::create_directory_symlink(monday / "in", directory.path() / "link");
  for (const auto& place : {monday / "tuesday", monday / "in" / "tuesday",
                            monday / "in" / "there" / "tuesday", directory.path() / "link" / "x"}) {
    const auto made = back_up(place, {});
    ASSERT_FALSE(made) << place;
    EXPECT_EQ(made.error().code, ErrorCode::kConflict) << made.error().message;
    const auto restored = restore(
        other, place, [](auto, auto) {}, [](const auto&) { return Status(kDone); });
    ASSERT_FALSE(restored) << place;
    EXPECT_EQ(restored.error().code, ErrorCode::kConflict) << restored.error().message;
  }
}

TEST(Backup, IsMadeWhereTheKernelFindsItsPath) {
  const testing::TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path() / "far" / "in");
  std::filesystem::create_directory_symlink(directory.path() / "far" / "in",
                                            directory.path() / "link");
  const auto path = directory.path() / "link" / ".." / "monday";
  std::vector<std::filesystem::path> parts;
  const auto made = back_up(path, {{"log", [&](const auto& to) {
                                      parts.push_back(std::filesystem::canonical(to.parent_path()));
                                      return write_whole_file(to, "records", 0600);
                                    }}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(is_backup(directory.path() / "far" / "monday"));
  EXPECT_EQ(parts.front().parent_path(), std::filesystem::canonical(directory.path() / "far"))
      << "on another disk, it could not be renamed";
}

// A part of a backup: the keys of two owners.
BackedUp keys_of_two() {
  return {kOwnerKeys, [](const std::filesystem::path& to) -> Status {
            std::filesystem::create_directory(to);
            for (const auto* name : {"user_1.key", "user_2.key"}) {
              const auto written = write_whole_file(to / name, std::string(32, 'k'), 0600);
              if (!written) return written;
            }
            return kDone;
          }};
}

bool is_restored(const std::filesystem::path& backup, const std::filesystem::path& fresh) {
  const auto restored = restore(
      backup, fresh, [](auto, auto) {}, [](const auto&) { return Status(kDone); });
  EXPECT_TRUE(restored) << restored.error().message;
  return static_cast<bool>(restored);
}

TEST(Backup, GoesOnWhenAnErasureDestroysAKeyOfIt) {
  const testing::TemporaryDirectory directory;
  const auto backup = directory.path() / "backup";
  std::optional<testing::GateFile> gate;
  std::promise<std::filesystem::path> begun;
  const BackedUp waits{"a-gate", [&](const std::filesystem::path& to) -> Status {
                         gate.emplace(to);
                         begun.set_value(to.parent_path());
                         return kDone;
                       }};
  auto made = std::async(std::launch::async, [&] {
    return back_up(backup, {keys_of_two(), waits});
  });
  const auto partial = begun.get_future().get();
  gate->wait_for_reader();  // the files are listed, and not read yet
  EXPECT_TRUE(OwnerKeyFiles::destroy_in(partial / kOwnerKeys, "user_1"));
  gate->open();
  const auto bytes = made.get();
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_FALSE(std::filesystem::exists(backup / kOwnerKeys / "user_1.key"));
  EXPECT_EQ(**read_whole_file(backup / kOwnerKeys / "user_2.key"), std::string(32, 'k'));
}

TEST(Backup, GoesOnAtWhicheverSyncAnErasureDestroysAKeyOfIt) {
  const testing::TemporaryDirectory directory{testing::TemporaryDirectory::memory()};
  const auto backup = directory.path() / "backup";
  for (int at = 0, seen = 1; seen > at; ++at) {
    seen = 0;
    bool is_erasing = false;
    Result<std::uintmax_t> made = std::uintmax_t{0};
    {
      const testing::PowerCutFiles files(directory.path(), 0, [&] {
        if (is_erasing || seen++ != at) return true;
        is_erasing = true;
        for (const auto& partial : std::filesystem::directory_iterator(directory.path())) {
          if (!std::filesystem::exists(partial.path() / kOwnerKeys / "user_2.key")) continue;
          EXPECT_TRUE(OwnerKeyFiles::destroy_in(partial.path() / kOwnerKeys, "user_1"));
        }
        return !(is_erasing = false);
      });
      made = back_up(backup, {keys_of_two()});
    }
    ASSERT_TRUE(made) << "sync " << at << ": " << made.error().message;
    ASSERT_TRUE(is_restored(backup, directory.path() / "fresh"));
    for (const auto* name : {"backup", "fresh"}) {
      std::filesystem::remove_all(directory.path() / name);
    }
  }
}

TEST(Backup, IsRestoredAlthoughAnErasureThatWasKilledHasLeftHalfANote) {
  const testing::TemporaryDirectory directory;
  const auto backup = directory.path() / "backup";
  ASSERT_TRUE(back_up(backup, {keys_of_two()}));
  ASSERT_TRUE(write_whole_file(backup / kOwnerKeys / "user_1.destroyed.new", "dest", 0600));
  EXPECT_TRUE(is_restored(backup, directory.path() / "fresh"));
}

TEST(Backup, OverwritesTheKeysThatItHasCopiedInVain) {
  const testing::TemporaryDirectory directory;
  const auto seen = directory.path() / "seen";
  const BackedUp fails{"log", [&](const std::filesystem::path& to) -> Status {
                         std::filesystem::create_hard_link(
                             to.parent_path() / kOwnerKeys / "user_1.key", seen);
                         return Error{ErrorCode::kUnavailable, "The disk is full."};
                       }};
  ASSERT_FALSE(back_up(directory.path() / "backup", {keys_of_two(), fails}));
  EXPECT_EQ(**read_whole_file(seen), std::string(32, '\0'));
}

class RestoreInPlace : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(back_up(backup, {keys_of_two()})); }

  Status restored_to(const std::filesystem::path& fresh, const RestoredCheck& check) const {
    return restore(
        backup, fresh, [](auto, auto) {}, check, true);
  }

  const testing::TemporaryDirectory directory;
  const std::filesystem::path backup = directory.path() / "backup",
                              volume = directory.path() / "volume";
};

TEST_F(RestoreInPlace, NeverEmptiesADirectoryThatHoldsAFileOfThatNameOfSomebodyElse) {
  const auto sound = [](const auto&) { return Status(kDone); };
  std::filesystem::create_directory(volume);
  ASSERT_TRUE(write_whole_file(volume / "photos", "of somebody", 0600));
  for (const auto* name : {"restoring", "restoring-my-car", "restoring.new"}) {
    ASSERT_TRUE(write_whole_file(volume / name, "a list of parts", 0600));
    const auto restored = restored_to(volume, sound);
    ASSERT_FALSE(restored) << name;
    EXPECT_EQ(restored.error().code, ErrorCode::kConflict) << restored.error().message;
    EXPECT_EQ(**read_whole_file(volume / "photos"), "of somebody");
    std::filesystem::remove(volume / name);
  }
  std::filesystem::remove(volume / "photos");
  for (const auto* name : {"restoring", "restoring-my-car"}) {
    std::filesystem::create_directory(volume / name);
    EXPECT_FALSE(restored_to(volume, sound)) << name;
    EXPECT_TRUE(std::filesystem::exists(volume / name));
    std::filesystem::remove(volume / name);
  }
  EXPECT_TRUE(restored_to(volume, sound));
}

TEST_F(RestoreInPlace, LeavesNothingBehindWhenCopyingFails) {
  const auto seen = directory.path() / "seen";
  const auto fails = [&](const std::filesystem::path& restored) -> Status {
    std::filesystem::create_hard_link(restored / kOwnerKeys / "user_1.key", seen);
    throw std::filesystem::filesystem_error("full",
                                            std::make_error_code(std::errc::no_space_on_device));
  };
  std::filesystem::create_directory(volume);
  for (const auto& fresh : {volume, directory.path() / "deep" / "fresh"}) {
    const auto restored = restored_to(fresh, fails);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::kUnavailable) << restored.error().message;
    EXPECT_EQ(**read_whole_file(seen), std::string(32, '\0'));
    std::filesystem::remove(seen);
  }
  EXPECT_TRUE(std::filesystem::is_empty(volume));
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "deep"));
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
