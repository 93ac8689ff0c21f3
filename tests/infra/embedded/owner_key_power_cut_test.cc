// The power goes at each sync of the owners' keys: what was said to be durable is there afterwards.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "infra/embedded/owner_key_files.h"
#include "tests/fixtures/power_cut_files.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

class OwnerKeyPowerCut : public ::testing::Test {
 protected:
  void open() {
    auto opened = OwnerKeyFiles::open(path());
    ASSERT_TRUE(opened) << opened.error().message;
    keys = std::move(*opened);
  }

  bool seal(const std::string& owner, NewKeys fresh = NewKeys::kDurable) {
    const auto bytes = keys->seal(owner, "here", "Ali", fresh);
    if (bytes && *bytes) sealed[owner] = **bytes;
    return bytes && *bytes;
  }
  std::string opened(const std::string& owner) {
    const auto plain = keys->open(owner, "here", sealed[owner]);
    if (!plain) return plain.error().message;
    return *plain ? **plain : "destroyed";
  }

  // `check` gets the keys that were left.
  void hit_each_sync_of(AtSync hit, const std::function<void()>& work,
                        const std::function<void()>& then, const std::function<void()>& check) {
    hit_each_sync(directory.path(), hit,
                  {.work =
                       [&] {
                         sealed.clear();
                         open();
                         work();
                       },
                   .check =
                       [&] {
                         open();
                         check();
                       },
                   .then = then,
                   .close = [&] { keys.reset(); }});
  }
  void cut_at_each_sync_of(const std::function<void()>& work, const std::function<void()>& check) {
    hit_each_sync_of(
        AtSync::kLosesPower, work, [] {}, check);
  }

  void destroy_twice(int fails, int cut, std::uint32_t seed) {
    int syncs = 0;
    PowerCutFiles* power = nullptr;
    PowerCutFiles files(directory.path(), seed, [&] {
      const int sync = power == nullptr ? -1 : syncs++;
      if (sync == cut) power->lose_power();
      return sync != fails && sync != cut;
    });
    sealed.clear();
    open();
    ASSERT_TRUE(seal("user_1"));
    power = &files;
    if (!keys->destroy("user_1")) {
      if (seed % 2 == 0) {  // by the next process
        if (auto again = OwnerKeyFiles::open(path())) keys = std::move(*again);
      }
      static_cast<void>(keys->destroy("user_1"));
    }
    files.lose_power();
    power = nullptr;
    keys.reset();
    files.cut();
    open();
    const auto found = opened("user_1");
    EXPECT_TRUE(found == "Ali" || found == "destroyed") << found;
    keys.reset();
    std::filesystem::remove_all(path());
  }

  std::filesystem::path path() const { return directory.path() / "owner-keys"; }

  TemporaryDirectory directory{TemporaryDirectory::memory()};
  std::unique_ptr<OwnerKeyFiles> keys;
  std::map<std::string, std::string> sealed;  // by owner
};

TEST_F(OwnerKeyPowerCut, LosesNoKeyThatHasSealed) {
  std::map<std::string, bool> has_sealed;
  cut_at_each_sync_of(
      [&] {
        for (const std::string owner : {"user_1", "user_2"}) has_sealed[owner] = seal(owner);
      },
      [&] {
        for (const auto& [owner, has] : has_sealed) {
          EXPECT_TRUE(!has || opened(owner) == "Ali") << opened(owner);
        }
      });
}

TEST_F(OwnerKeyPowerCut, LosesNoKeyThatWasSynced) {
  bool synced = false;
  cut_at_each_sync_of(
      [&] {
        synced = seal("user_1", NewKeys::kUntilSync) && seal("user_2", NewKeys::kUntilSync) &&
                 keys->sync();
      },
      [&] { EXPECT_TRUE(!synced || opened("user_1") + opened("user_2") == "AliAli"); });
}

TEST_F(OwnerKeyPowerCut, BringsNoDestroyedKeyBack) {
  bool made = false, destroyed = false;
  cut_at_each_sync_of(
      [&] {
        made = seal("user_1");
        destroyed = bool(keys->destroy("user_1"));
      },
      [&] {
        const auto found = made ? opened("user_1") : "destroyed";
        EXPECT_TRUE(found == "destroyed" || (!destroyed && found == "Ali")) << found;
        EXPECT_TRUE(!destroyed || keys->is_destroyed("user_1"));
      });
}

TEST_F(OwnerKeyPowerCut, ForgetsNoErasedOwnerWhoHadNoKey) {
  bool destroyed = false, cleaned = false;
  cut_at_each_sync_of(
      [&] {
        destroyed = bool(keys->destroy("user_1"));
        cleaned = destroyed && keys->set_cleaned("user_1");
      },
      [&] {
        if (!destroyed) return;
        const auto all = keys->destroyed();
        ASSERT_TRUE(all && all->size() == 1);
        EXPECT_TRUE(!cleaned || all->front().cleaned);
      });
}

// One sync of the first try fails, and the power goes at a later one, of the next try.
TEST_F(OwnerKeyPowerCut, DamagesNoKeyWhenItIsDestroyedAgain) {
  constexpr int kMostSyncs = 12;
  constexpr std::uint32_t kSeeds = 12;
  for (int fails = 0; fails < kMostSyncs; ++fails) {
    for (int cut = fails + 1; cut < kMostSyncs; ++cut) {
      for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
        SCOPED_TRACE(std::to_string(fails) + ", " + std::to_string(cut) + ", seed " +
                     std::to_string(seed));
        destroy_twice(fails, cut, seed);
        if (HasFailure()) return;
      }
    }
  }
}

// A sync that fails, or a process that dies in it, leaves names that may not be on the disk.
class OwnerKeysAfterAFailure : public OwnerKeyPowerCut, public ::testing::WithParamInterface<bool> {
 protected:
  // `work` succeeds the second time, in this process or in the next one.
  void fail_each_sync_of(const std::function<bool()>& work, const std::function<void()>& check) {
    const auto again = [&] {
      if (GetParam()) open();
      ASSERT_TRUE(work());
    };
    hit_each_sync_of(
        AtSync::kFails, [&] { work(); }, again, check);
  }
};

TEST_P(OwnerKeysAfterAFailure, AreDurableBeforeTheySealAgain) {
  fail_each_sync_of([&] { return seal("user_1"); }, [&] { EXPECT_EQ(opened("user_1"), "Ali"); });
}

TEST_P(OwnerKeysAfterAFailure, AreDurableBeforeAnImportSealsAgain) {
  fail_each_sync_of([&] { return seal("user_1", NewKeys::kUntilSync) && keys->sync(); },
                    [&] { EXPECT_EQ(opened("user_1"), "Ali"); });
}

TEST_P(OwnerKeysAfterAFailure, AreDestroyedForGood) {
  fail_each_sync_of([&] { return bool(keys->destroy("user_1")); },
                    [&] { EXPECT_TRUE(keys->is_destroyed("user_1")); });
}

INSTANTIATE_TEST_SUITE_P(InTheNextProcess, OwnerKeysAfterAFailure, ::testing::Bool());

}  // namespace
}  // namespace tilth::testing
