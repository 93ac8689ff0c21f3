#include "infra/embedded/owner_key_files.h"

#include <chrono>
#include <functional>
#include <future>

#include <gtest/gtest.h>

#include "infra/embedded/owner_key_join.h"
#include "infra/system/whole_file.h"
#include "tests/fixtures/gate_file.h"
#include "tests/fixtures/power_cut_files.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

namespace fs = std::filesystem;

class OwnerKeyFilesTest : public ::testing::Test {
 protected:
  void open() {
    keys.reset();
    auto opened = OwnerKeyFiles::open(path());
    ASSERT_TRUE(opened) << opened.error().message;
    keys = std::move(*opened);
  }

  std::string sealed(const std::string& owner, std::string_view plain) {
    const auto bytes = keys->seal(owner, "here", plain);
    if (!bytes) return bytes.error().message;
    return *bytes ? **bytes : "destroyed";
  }
  std::string opened(const std::string& owner, std::string_view bytes,
                     std::string_view context = "here") {
    const auto plain = keys->open(owner, context, bytes);
    if (!plain) return "error: " + plain.error().message;
    return *plain ? **plain : "destroyed";
  }

  // What `work` returns, which must not wait until the gate is open.
  static std::string meanwhile(GateFile& gate, const std::function<std::string()>& work) {
    auto done = std::async(std::launch::async, work);
    const bool waits = done.wait_for(std::chrono::seconds(10)) != std::future_status::ready;
    gate.open();
    EXPECT_FALSE(waits);
    return done.get();
  }

  fs::path path() const { return directory.path() / "owner-keys"; }

  TemporaryDirectory directory;
  std::unique_ptr<OwnerKeyFiles> keys;
};

TEST_F(OwnerKeyFilesTest, OpenWhatTheyHaveSealedAlsoAfterARestart) {
  open();
  EXPECT_FALSE(keys->exists());
  const auto bytes = sealed("user_1", "Ali");
  EXPECT_TRUE(keys->exists());
  EXPECT_EQ(bytes.find("Ali"), bytes.npos);
  EXPECT_NE(sealed("user_1", "Ali"), bytes) << "each time another nonce";
  EXPECT_EQ(opened("user_1", bytes), "Ali");
  open();
  EXPECT_EQ(opened("user_1", bytes), "Ali");
  EXPECT_EQ(opened("user_1", sealed("user_1", "")), "");
}

TEST_F(OwnerKeyFilesTest, OfManyNewOwnersAreMadeDurableAtOnce) {
  open();
  const auto sealed_until_sync = [&](const std::string& owner) {
    const auto bytes = keys->seal(owner, "here", "Ali", NewKeys::kUntilSync);
    return bytes && *bytes ? **bytes : "";
  };
  const auto lost = sealed_until_sync("user_1");
  EXPECT_EQ(opened("user_1", lost), "Ali");
  EXPECT_FALSE(fs::exists(path() / "user_1.key"));
  open();
  EXPECT_TRUE(fs::is_empty(path())) << "what was not synced is gone";
  EXPECT_NE(opened("user_1", lost).find("is missing"), std::string::npos);
  const auto kept = sealed_until_sync("user_1"), other = sealed_until_sync("user_2");
  ASSERT_TRUE(keys->sync());
  open();
  EXPECT_EQ(opened("user_1", kept) + opened("user_2", other), "AliAli");
  sealed_until_sync("user_3");
  const auto at_once = sealed("user_3", "Ada");
  EXPECT_TRUE(fs::exists(path() / "user_3.key")) << "a change does not wait for an import";
  sealed_until_sync("user_4");
  ASSERT_TRUE(keys->destroy("user_4"));
  EXPECT_FALSE(fs::exists(path() / "user_4.key.unsynced"));
  ASSERT_TRUE(keys->sync());
  EXPECT_FALSE(fs::exists(path() / "user_4.key"));
  open();
  EXPECT_EQ(opened("user_3", at_once), "Ada");
  EXPECT_EQ(sealed("user_4", "Ali"), "destroyed");
}

TEST_F(OwnerKeyFilesTest, AreReadableByTheirOwnerAlone) {
  open();
  sealed("user_1", "Ali");
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(path() / "user_1.key").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OwnerKeyFilesTest, OpenNothingElse) {
  open();
  auto bytes = sealed("user_1", "Ali");
  sealed("user_2", "Omar");
  EXPECT_TRUE(opened("user_1", bytes, "there").starts_with("error"));
  EXPECT_TRUE(opened("user_2", bytes).starts_with("error"));
  EXPECT_TRUE(opened("user_1", bytes.substr(0, 20)).starts_with("error"));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_TRUE(opened("user_1", bytes).starts_with("error"));
}

TEST_F(OwnerKeyFilesTest, AreNotTakenForThoseOfAnotherOwner) {
  open();
  sealed("a/b", "Ali"), sealed("c/d", "Omar");
  keys.reset();
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path())) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 2U);
  fs::copy_file(files[0], files[1], fs::copy_options::overwrite_existing);
  open();
  int refused = 0;
  for (const auto* owner : {"a/b", "c/d"}) {
    if (sealed(owner, "Ali").find("does not hold 32 bytes") != std::string::npos) ++refused;
  }
  EXPECT_EQ(refused, 1);
}

TEST_F(OwnerKeyFilesTest, ThatAreMissingAreNotTakenForDestroyed) {
  open();
  const auto bytes = sealed("user_1", "Ali");
  fs::remove(path() / "user_1.key");
  open();
  EXPECT_NE(opened("user_1", bytes).find("user_1.key is missing"), std::string::npos);
}

TEST_F(OwnerKeyFilesTest, AreDestroyedForGood) {
  open();
  const auto bytes = sealed("user_1", "Ali"), other = sealed("user_2", "Omar");
  ASSERT_TRUE(keys->destroy("user_1"));
  for (int restarts = 0; restarts < 2; ++restarts) {
    EXPECT_EQ(opened("user_1", bytes), "destroyed");
    EXPECT_EQ(sealed("user_1", "Ali"), "destroyed") << "no new key is made";
    EXPECT_TRUE(keys->is_destroyed("user_1"));
    EXPECT_FALSE(keys->is_destroyed("user_2"));
    EXPECT_EQ(opened("user_2", other), "Omar");
    EXPECT_FALSE(fs::exists(path() / "user_1.key"));
    ASSERT_TRUE(keys->destroy("user_1")) << "it may be repeated";
    open();
  }
}

TEST_F(OwnerKeyFilesTest, AreDestroyedByTheNextStartIfACrashCameBetween) {
  open();
  const auto bytes = sealed("user_1", "Ali");
  fs::copy_file(path() / "user_1.key", directory.path() / "kept");
  ASSERT_TRUE(keys->destroy("user_1"));
  keys.reset();
  fs::copy_file(directory.path() / "kept", path() / "user_1.key");  // its note was made before
  open();
  EXPECT_EQ(opened("user_1", bytes), "destroyed");
  EXPECT_FALSE(fs::exists(path() / "user_1.key"));
}

TEST_F(OwnerKeyFilesTest, RememberWhetherAllElseIsCleaned) {
  open();
  ASSERT_TRUE(keys->destroy("user_1")) << "who never had a key";
  open();
  auto all = keys->destroyed();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().owner, "user_1");
  EXPECT_FALSE(all->front().cleaned);
  ASSERT_TRUE(keys->set_cleaned("user_1"));
  EXPECT_TRUE(keys->destroyed()->front().cleaned);
  ASSERT_TRUE(keys->destroy("user_1"));
  EXPECT_TRUE(keys->destroyed()->front().cleaned);
}

TEST_F(OwnerKeyFilesTest, TakeOwnersWithAnyName) {
  open();
  const std::vector<std::string> owners = {"../key.secret",       "",   "a/b", "=1",
                                           std::string(300, 'x'), "عمر"};
  for (const auto& owner : owners) {
    const auto bytes = sealed(owner, "Ali");
    EXPECT_EQ(opened(owner, bytes), "Ali") << owner;
    ASSERT_TRUE(keys->destroy(owner));
    open();
    EXPECT_EQ(opened(owner, bytes), "destroyed") << owner;
  }
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    EXPECT_EQ(entry.path(), path());
  }
}

TEST_F(OwnerKeyFilesTest, AreCopiedWithTheNotes) {
  open();
  const auto bytes = sealed("user_1", "Ali"), other = sealed("user_2", "Omar");
  ASSERT_TRUE(keys->destroy("user_2"));
  ASSERT_TRUE(keys->copy_to(directory.path() / "copy", directory.path() / "copy"));
  keys.reset();
  fs::remove_all(path());
  fs::rename(directory.path() / "copy", path());
  open();
  EXPECT_EQ(opened("user_1", bytes), "Ali");
  EXPECT_EQ(opened("user_2", other), "destroyed");
}

TEST_F(OwnerKeyFilesTest, OfAnotherTimeAreAddedAndNothingErasedComesBack) {
  const auto older = directory.path() / "older", other = directory.path() / "other";
  open();
  const auto early = sealed("user_1", "Ali"), erased = sealed("user_2", "Omar"),
             strange = sealed("a/b", "Ida");
  ASSERT_TRUE(keys->copy_to(older, directory.path() / "gone" / "older"));
  const auto late = sealed("user_3", "Ada");
  ASSERT_TRUE(keys->destroy("user_2"));
  const auto expect_all = [&] {
    open();
    EXPECT_EQ(opened("user_1", early) + opened("user_3", late) + opened("a/b", strange),
              "AliAdaIda");
    EXPECT_EQ(opened("user_2", erased), "destroyed");
    EXPECT_FALSE(fs::exists(path() / "user_2.key"));
    EXPECT_TRUE(fs::exists(path() / "copies"));
  };
  keys.reset();
  const auto again = directory.path() / "again", seen = directory.path() / "seen";
  fs::copy(older, again);
  fs::create_hard_link(older / "user_1.key", seen);
  ASSERT_TRUE(join_owner_keys(older, path()));
  EXPECT_EQ(**read_whole_file(seen), std::string(32, '\0')) << "what is left there is no key";
  EXPECT_FALSE(fs::exists(older / "user_1.key"));
  expect_all();
  keys.reset();
  fs::rename(path(), directory.path() / "newer");
  fs::rename(again, path());
  ASSERT_TRUE(join_owner_keys(directory.path() / "newer", path()));
  expect_all();

  keys.reset();
  fs::rename(path(), other);
  open();
  sealed("user_1", "Ali");
  const auto differs = join_owner_keys(other, path());
  ASSERT_FALSE(differs);
  EXPECT_EQ(differs.error().code, ErrorCode::kDamaged);
  EXPECT_NE(differs.error().message.find("user_1.key"), std::string::npos);
}

TEST_F(OwnerKeyFilesTest, AreDestroyedInACopyWhoseDiskWasAwayMeanwhile) {
  open();
  sealed("user_1", "Ali"), sealed("user_2", "Omar");
  const auto disk = directory.path() / "disk", away = directory.path() / "away";
  const auto copy = disk / "backup" / "owner-keys";
  fs::create_directories(copy.parent_path());
  ASSERT_TRUE(keys->copy_to(copy, copy));
  fs::rename(disk, away);
  fs::create_directory(disk);  // where it is mounted
  ASSERT_TRUE(keys->destroy("user_1"));
  fs::remove(disk);
  fs::rename(away, disk);
  ASSERT_TRUE(keys->destroy("user_2"));
  EXPECT_FALSE(fs::exists(copy / "user_2.key"));
  ASSERT_TRUE(keys->destroy("user_1"));
  EXPECT_FALSE(fs::exists(copy / "user_1.key"));
}

TEST_F(OwnerKeyFilesTest, AreDestroyedInTheCopiesThatAreStillThere) {
  open();
  sealed("user_1", "Ali"), sealed("user_2", "Omar");
  const auto copy = [&](const std::string& backup) {
    const auto to = directory.path() / backup / "owner-keys";
    fs::create_directory(directory.path() / backup);
    EXPECT_TRUE(keys->copy_to(to, to));
    return to;
  };
  const auto here = copy("here"), gone = copy("gone"), unfinished = copy("unfinished");
  fs::remove_all(gone.parent_path());
  const auto partial = directory.path() / "unfinished.partial-7" / "owner-keys";
  fs::rename(unfinished.parent_path(), partial.parent_path());
  open();
  ASSERT_TRUE(keys->destroy("user_1"));
  for (const auto& each : {path(), here, partial}) {
    EXPECT_FALSE(fs::exists(each / "user_1.key")) << each;
    EXPECT_TRUE(fs::exists(each / "user_1.destroyed")) << each;
    EXPECT_TRUE(fs::exists(each / "user_2.key")) << each;
  }
  fs::remove(here / "user_2.key");
  fs::create_directory(here / "user_2.key");
  const auto stuck = keys->destroy("user_2");
  ASSERT_FALSE(stuck);
  EXPECT_NE(stuck.error().message.find((here / "user_2.key").string()), std::string::npos);
  EXPECT_TRUE(keys->is_destroyed("user_2")) << "here";
  fs::remove(here / "user_2.key");
  EXPECT_TRUE(keys->destroy("user_2"));
}

TEST_F(OwnerKeyFilesTest, AreKeptInMindWhereACopyCannotBeRead) {
  open();
  sealed("user_1", "Ali");
  const auto backup = directory.path() / "backup", copy = backup / "owner-keys";
  fs::create_directory(backup);
  ASSERT_TRUE(keys->copy_to(copy, copy));
  fs::rename(backup, directory.path() / "away");
  fs::create_symlink(backup, backup);  // which nothing can be looked up in
  const auto destroyed = keys->destroy("user_1");
  ASSERT_FALSE(destroyed);
  EXPECT_EQ(destroyed.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(destroyed.error().message.find(copy.string() + " cannot be read"), std::string::npos);
  EXPECT_TRUE(keys->is_destroyed("user_1")) << "here";
  fs::remove(backup);
  fs::rename(directory.path() / "away", backup);
  ASSERT_TRUE(keys->destroy("user_1"));
  EXPECT_FALSE(fs::exists(copy / "user_1.key"));
}

TEST_F(OwnerKeyFilesTest, OpenWithOneSyncHoweverManyAreDestroyed) {
  open();
  for (const auto* owner : {"user_1", "user_2", "user_3", "user_4"}) {
    sealed(owner, "Ali");
    ASSERT_TRUE(keys->destroy(owner));
  }
  int syncs = 0;
  const PowerCutFiles files(directory.path(), 0, [&] { return ++syncs > 0; });
  open();
  EXPECT_EQ(syncs, 1);
}

TEST_F(OwnerKeyFilesTest, SealWhileTheyAreCopied) {
  open();
  sealed("user_1", "Ali");
  GateFile gate(path() / "copies");
  const auto copy = directory.path() / "copy";
  auto copied = std::async(std::launch::async, [&] { return keys->copy_to(copy, copy); });
  gate.wait_for_reader();
  const auto bytes = meanwhile(gate, [&] {
    return opened("user_1", sealed("user_1", "Ali")) + opened("user_2", sealed("user_2", "Omar"));
  });
  EXPECT_EQ(bytes, "AliOmar");
  EXPECT_TRUE(copied.get());
  EXPECT_TRUE(fs::exists(copy / "user_1.key"));
}

TEST_F(OwnerKeyFilesTest, SealWhileOneIsDestroyedInCopies) {
  open();
  sealed("user_1", "Ali"), sealed("user_2", "Omar");
  const auto copy = directory.path() / "backup" / "owner-keys";
  fs::create_directory(copy.parent_path());
  ASSERT_TRUE(keys->copy_to(copy, copy));
  GateFile gate(copy / "user_1.destroyed");
  auto destroyed = std::async(std::launch::async, [&] { return keys->destroy("user_1"); });
  gate.wait_for_reader();
  const auto bytes = meanwhile(gate, [&] {
    return sealed("user_1", "Ali") + " " + opened("user_2", sealed("user_2", "Omar"));
  });
  EXPECT_EQ(bytes, "destroyed Omar");
  EXPECT_TRUE(destroyed.get());
  EXPECT_FALSE(fs::exists(copy / "user_1.key"));
}

TEST_F(OwnerKeyFilesTest, AreNotCopiedWhereTheListOfCopiesCannotNameThem) {
  open();
  sealed("user_1", "Ali");
  const auto copy = directory.path() / "two\nlines";
  const auto copied = keys->copy_to(copy, copy);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ErrorCode::kInvalid);
  EXPECT_FALSE(fs::exists(copy));
  EXPECT_FALSE(fs::exists(path() / "copies"));
}

TEST_F(OwnerKeyFilesTest, AreDestroyedInABackupThatBecomesWholeMeanwhile) {
  open();
  sealed("user_1", "Ali"), sealed("user_2", "Omar");
  const auto backup = directory.path() / "backup", partial = directory.path() / "backup.partial-7";
  fs::create_directory(partial);
  ASSERT_TRUE(keys->copy_to(partial / "owner-keys", backup / "owner-keys"));
  GateFile gate(partial / "owner-keys" / "user_1.destroyed");
  auto destroyed = std::async(std::launch::async, [&] { return keys->destroy("user_1"); });
  gate.wait_for_reader();
  fs::rename(partial, backup);
  gate.open();
  ASSERT_TRUE(destroyed.get());
  EXPECT_FALSE(fs::exists(backup / "owner-keys" / "user_1.key"));
  ASSERT_TRUE(keys->destroy("user_2"));
  EXPECT_FALSE(fs::exists(backup / "owner-keys" / "user_2.key"));
}

TEST_F(OwnerKeyFilesTest, AreKeptInMindWhileABackupIsPartial) {
  open();
  sealed("user_1", "Ali");
  const auto backup = directory.path() / "backup", partial = directory.path() / "backup.partial-7";
  fs::create_directory(partial);
  const auto held = directory.path() / "held";
  ASSERT_TRUE(keys->copy_to(held, backup / "owner-keys"));
  ASSERT_TRUE(keys->destroy("user_1")) << "its keys do not lie there yet";
  fs::rename(held, partial / "owner-keys");
  fs::rename(partial, backup);
  ASSERT_TRUE(keys->destroy("user_1"));
  EXPECT_FALSE(fs::exists(backup / "owner-keys" / "user_1.key"));
}

}  // namespace
}  // namespace tilth::testing
