#include "infra/usage/usage_store.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "tests/fixtures/temporary_directory.h"
#include "tests/infra/embedded/faulty_disk.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();
Timestamp after(std::chrono::milliseconds span) { return {kNoon.at + span}; }

class UsageStoreTest : public ::testing::Test {
 protected:
  void SetUp() override { restart(kNoon); }

  std::filesystem::path path() const { return directory_.path() / "usage"; }

  void open() {
    store_.reset();
    auto opened = UsageStore::open(path(), memory_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }

  void keep(Timestamp now) { ASSERT_TRUE(store_->keep(limiter_->take_changes(now), now)); }

  // As when the service stops and starts again.
  void restart(Timestamp now) {
    if (store_) keep(now);
    open();
    limiter_ = std::make_unique<RateLimiter>();
    ASSERT_TRUE(store_->restore(*limiter_, now));
  }

  // The number of entries: 'c' of windows, 'u' of the use of keys.
  std::map<char, std::size_t> entries() {
    store_.reset();
    std::map<char, std::size_t> counts;
    {
      rocksdb::DB* db = nullptr;
      EXPECT_TRUE(rocksdb::DB::OpenForReadOnly({}, path(), &db).ok());
      const std::unique_ptr<rocksdb::DB> opened(db);
      const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator({}));
      for (at->SeekToFirst(); at->Valid(); at->Next()) ++counts[at->key()[0]];
    }
    open();
    return counts;
  }

  const testing::TemporaryDirectory directory_;
  const RocksMemory memory_{1 << 20, 8 << 20};
  std::unique_ptr<UsageStore> store_;
  std::unique_ptr<RateLimiter> limiter_;
};

using Entries = std::map<char, std::size_t>;

TEST_F(UsageStoreTest, AWindowGoesOnOverARestartToTheMillisecond) {
  limiter_->count_user("user_a", 2, "key_a", 1, kNoon);
  limiter_->count_address("192.0.2.1", 1, kNoon);
  restart(after(1min - 1ms));
  EXPECT_EQ(limiter_->count_address("192.0.2.1", 1, after(1min - 1ms)).reset, after(1min));
  const auto refused = limiter_->count_user("user_a", 2, "key_a", 1, after(1min - 1ms));
  EXPECT_EQ(refused.by, RatedBy::kKey);
  EXPECT_EQ(refused.reset, after(1h));
  EXPECT_EQ(limiter_->count_user("user_a", 2, "key_b", {}, after(1min)).remaining, 0U);
  restart(after(1h));
  EXPECT_EQ(limiter_->count_address("192.0.2.1", 1, after(1h)).remaining, 0U);
  EXPECT_EQ(limiter_->count_user("user_a", 2, "key_a", 1, after(1h)).remaining, 0U);
}

TEST_F(UsageStoreTest, AnInstantThatIsKeptTwiceCountsOnce) {
  limiter_->count_user("user_a", 10, "key_a", {}, kNoon);
  keep(kNoon);
  limiter_->count_user("user_a", 10, "key_a", {}, kNoon);
  keep(kNoon);
  restart(kNoon);
  EXPECT_EQ(limiter_->count_user("user_a", 10, "key_a", {}, kNoon).remaining, 7U);
}

TEST_F(UsageStoreTest, AnInstantThatIsKeptAgainLeavesThoseBeforeIt) {
  limiter_->count_user("user_a", 10, "key_a", {}, kNoon);
  limiter_->count_user("user_a", 10, "key_a", {}, after(1ms));
  keep(after(1ms));
  limiter_->count_user("user_a", 10, "key_a", {}, after(1ms));
  keep(after(1ms));
  restart(after(1ms));
  EXPECT_EQ(limiter_->count_user("user_a", 10, "key_a", {}, after(1ms)).remaining, 6U);
}

TEST_F(UsageStoreTest, AKeepTakesOneEntryForAWindowHoweverMuchWasCounted) {
  for (int i = 0; i < 1'000; ++i)
    limiter_->count_user("user_a", 9'999, "key_a", {}, after(i * 1ms));
  keep(after(1s));
  EXPECT_EQ(entries(), (Entries{{'c', 1}, {'u', 1}}));
  restart(after(1s));
  EXPECT_EQ(limiter_->count_user("user_a", 9'999, "key_a", {}, after(1s)).remaining, 8'998U);
}

TEST_F(UsageStoreTest, WhatWasNotKeptCountsNoMoreThanBefore) {
  limiter_->count_user("user_a", 10, "key_a", {}, kNoon);
  keep(kNoon);
  limiter_->count_user("user_a", 10, "key_a", {}, after(1s));
  open();  // a crash
  limiter_ = std::make_unique<RateLimiter>();
  ASSERT_TRUE(store_->restore(*limiter_, after(2s)));
  EXPECT_EQ(limiter_->count_user("user_a", 10, "key_a", {}, after(2s)).remaining, 8U);
}

TEST_F(UsageStoreTest, TheUseOfAKeyIsKeptForEver) {
  for (int i = 0; i < 3; ++i) limiter_->count_user("user_a", 10, "key_a", {}, after(i * 1s));
  limiter_->count_user("user_a", 10, "key_b", 5, after(5s));
  limiter_->count_user("user_b", 10, "key_a", {}, after(6s));
  restart(after(24h * 400));
  EXPECT_EQ(limiter_->use_of("user_a", "key_a"), (RateLimiter::KeyUse{3, after(2s)}));
  EXPECT_EQ(limiter_->use_of("user_a", "key_b"), (RateLimiter::KeyUse{1, after(5s)}));
  EXPECT_EQ(limiter_->use_of("user_b", "key_a"), (RateLimiter::KeyUse{1, after(6s)}));
  limiter_->count_user("user_a", 10, "key_a", {}, after(24h * 401));
  restart(after(24h * 401));
  EXPECT_EQ(limiter_->use_of("user_a", "key_a"), (RateLimiter::KeyUse{4, after(24h * 401)}));
}

TEST_F(UsageStoreTest, TheUseOfAKeyOnOtherNodesIsKeptToo) {
  limiter_->count_user("user_a", 10, "key_a", {}, kNoon);
  ASSERT_TRUE(store_->keep({{"one", "user_a", "key_a", {7, after(1s)}},
                            {"two", "user_a", "key_a", {5, after(2s)}},
                            {"two", "user_a", "key_b", {1, {}}}}));
  ASSERT_TRUE(store_->keep({{"one", "user_a", "key_a", {9, after(3s)}}}));
  restart(after(24h));
  EXPECT_EQ(limiter_->use_of("user_a", "key_a"), (RateLimiter::KeyUse{15, after(3s)}));
  EXPECT_EQ(limiter_->use_of("user_a", "key_b"), (RateLimiter::KeyUse{1, {}}));
  ASSERT_TRUE(store_->keep({{std::string("a\0b", 3), "user_a", "key_a", {9, {}}}}));
  restart(after(24h));
  EXPECT_EQ(limiter_->use_of("user_a", "key_a").count, 15U);
}

TEST_F(UsageStoreTest, ARestartErasesWhatNoWindowHolds) {
  limiter_->count_user("user_a", 10, "key_a", 10, kNoon);
  limiter_->count_user("user_a", 10, "key_a", 10, after(30min));
  limiter_->count_address("192.0.2.1", 10, after(30min));
  keep(after(30min));
  EXPECT_EQ(entries(), (Entries{{'c', 3}, {'u', 1}}));
  restart(after(1h));
  EXPECT_EQ(entries(), (Entries{{'c', 2}, {'u', 1}}));
}

TEST_F(UsageStoreTest, WhatAnotherClockCountedLongAheadLocksNoOneOut) {
  limiter_->count_user("user_a", 1, "key_a", {}, after(24h * 365));
  restart(kNoon);
  EXPECT_TRUE(limiter_->count_user("user_a", 1, "key_a", {}, kNoon).allowed);
  EXPECT_EQ(entries(), (Entries{{'u', 1}}));
}

TEST_F(UsageStoreTest, WhatWasCountedBeforeTheClockWasSetBackStillCounts) {
  limiter_->count_user("user_a", 1, "key_a", {}, after(1s));
  restart(kNoon);
  const auto refused = limiter_->count_user("user_a", 1, "key_a", {}, kNoon);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.reset, after(1h + 1s));
}

TEST_F(UsageStoreTest, EntriesAreErasedAsTheyLeaveTheirWindow) {
  limiter_->count_user("user_a", 10, "key_a", 10, kNoon);
  limiter_->count_user("user_b", 10, "key_b", {}, kNoon);
  limiter_->count_address("192.0.2.1", 10, kNoon);
  keep(kNoon);
  keep(after(1min - 1ms));
  EXPECT_EQ(entries(), (Entries{{'c', 4}, {'u', 2}}));
  keep(after(1min));
  EXPECT_EQ(entries(), (Entries{{'c', 3}, {'u', 2}}));
  keep(after(1h - 1ms));
  EXPECT_EQ(entries(), (Entries{{'c', 3}, {'u', 2}}));
  keep(after(1h));
  EXPECT_EQ(entries(), (Entries{{'u', 2}}));
}

TEST_F(UsageStoreTest, EntriesFromBeforeTheClockWasSetBackAreErasedInTheEnd) {
  keep(after(10h));
  limiter_->count_user("user_a", 10, "key_a", {}, kNoon);
  keep(kNoon);
  EXPECT_EQ(entries(), (Entries{{'c', 1}, {'u', 1}}));
  keep(after(1h));
  EXPECT_EQ(entries(), (Entries{{'u', 1}}));
}

TEST_F(UsageStoreTest, OneCallErasesABoundedNumberAndTheNextOnesTheRest) {
  constexpr std::size_t kMany = 5'000;
  for (std::size_t i = 0; i < kMany; ++i) {
    limiter_->count_address("a" + std::to_string(i), 10, kNoon);
  }
  keep(kNoon);
  std::size_t before = kMany;
  for (int calls = 0; before > 0; ++calls) {
    ASSERT_LT(calls, 10);
    keep(after(24h));
    const auto left = entries()['c'];
    ASSERT_LT(left, before);
    ASSERT_LE(before - left, 2'000U);
    before = left;
  }
}

TEST_F(UsageStoreTest, ItHoldsNoMoreThanTheWindowsHoweverLongItRuns) {
  auto now = kNoon;
  std::size_t in_a_window = 0;
  for (int hour = 0; hour < 6; ++hour) {
    for (int second = 0; second < 3'600; second += 2) {
      now.at += 2s;
      limiter_->count_user("user_" + std::to_string(second % 7), 100'000, "key_a", {}, now);
      if (second % 10 == 0) {
        limiter_->count_address("a" + std::to_string(hour * second), 60, now);
      }
      keep(now);
    }
    if (hour == 0) in_a_window = entries()['c'];
    EXPECT_EQ(entries()['c'], in_a_window);
  }
}

TEST_F(UsageStoreTest, ACopyCanBeOpenedAndTellsWhatWasKept) {
  limiter_->count_user("user_a", 10, "key_a", {}, kNoon);
  keep(kNoon);
  const auto copy = directory_.path() / "copy";
  ASSERT_TRUE(store_->copy_to(copy));
  EXPECT_FALSE(store_->copy_to(copy));
  auto opened = UsageStore::open(copy, memory_);
  ASSERT_TRUE(opened);
  RateLimiter restored;
  ASSERT_TRUE((*opened)->restore(restored, kNoon));
  EXPECT_EQ(restored.count_user("user_a", 10, "key_a", {}, kNoon).remaining, 8U);
}

TEST_F(UsageStoreTest, ADirectoryThatCannotBeMadeIsUnavailable) {
  const auto opened = UsageStore::open("/proc/usage", memory_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
}

// Compares a limiter that is restarted now and then with one that never is.
TEST_F(UsageStoreTest, NoOneCanTellThatTheServiceWasRestarted) {
  std::mt19937 random(11);
  RateLimiter steady;
  auto now = kNoon;
  for (int i = 0; i < 6'000; ++i) {
    now.at += std::chrono::milliseconds(random() % 3 == 0 ? random() % 120'000 : random() % 2);
    const auto user = "user_" + std::to_string(random() % 3);
    const auto key = "key_" + std::to_string(random() % 2);
    const auto key_limit = key == "key_0" ? std::optional<std::uint64_t>(20) : std::nullopt;
    const bool strange = random() % 4 == 0;
    const auto told = strange ? limiter_->count_address("192.0.2.1", 3, now)
                              : limiter_->count_user(user, 30, key, key_limit, now);
    const auto expected = strange ? steady.count_address("192.0.2.1", 3, now)
                                  : steady.count_user(user, 30, key, key_limit, now);
    ASSERT_EQ(told.allowed, expected.allowed) << i;
    ASSERT_EQ(told.remaining, expected.remaining) << i;
    ASSERT_EQ(told.reset, expected.reset) << i;
    ASSERT_EQ(told.by, expected.by) << i;
    ASSERT_EQ(limiter_->use_of(user, key), steady.use_of(user, key)) << i;
    if (random() % 20 == 0) keep(now);
    if (random() % 150 == 0) restart(now);
  }
}

// Ends the process, and the tests, if RocksDB is asked to write a write-ahead log again.
class UsageStoreOnAFullDisk : public ::testing::TestWithParam<testing::FaultyDisk::Fault> {
 protected:
  void SetUp() override { open(); }
  void TearDown() override {
    disk_->fault = testing::FaultyDisk::Fault::kNone;
    store_.reset();
  }

  void open() {
    store_.reset();
    auto opened = UsageStore::open(directory_.path() / "usage", memory_, env_.get());
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }

  std::vector<std::string> entries() const {
    std::vector<std::string> found;
    EXPECT_TRUE(store_->read_entries(
        's', [&](std::string_view key, std::string_view) { found.emplace_back(key); }));
    return found;
  }

  const testing::TemporaryDirectory directory_;
  const RocksMemory memory_{1 << 20, 8 << 20};
  const std::shared_ptr<testing::FaultyDisk> disk_ = std::make_shared<testing::FaultyDisk>();
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_);
  std::unique_ptr<UsageStore> store_;
};

TEST_P(UsageStoreOnAFullDisk, IsWrittenAgainOnceThereIsSpaceAndLosesNothing) {
  disk_->fault = GetParam();  // when nothing has been written since the start
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(store_->keep_entry("s-none", "1"));
  disk_->fault = testing::FaultyDisk::Fault::kNone;
  EXPECT_TRUE(store_->keep_entry("s-a", "1"));
  disk_->fault = GetParam();  // when something has
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(store_->keep_entry("s-none", "1"));
  disk_->fault = testing::FaultyDisk::Fault::kNone;
  EXPECT_TRUE(store_->keep_entry("s-b", "1"));
  EXPECT_THAT(entries(), ::testing::IsSupersetOf({"s-a", "s-b"}));
  open();
  EXPECT_THAT(entries(), ::testing::IsSupersetOf({"s-a", "s-b"}));
}

TEST_P(UsageStoreOnAFullDisk, RefusesWhatSeveralThreadsWrite) {
  disk_->fault = GetParam();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 10; ++j) EXPECT_FALSE(store_->keep_entry("s-" + std::to_string(i), ""));
    });
  }
  threads.clear();
  disk_->fault = testing::FaultyDisk::Fault::kNone;
  EXPECT_TRUE(store_->keep_entry("s-a", "1"));
  EXPECT_THAT(entries(), ::testing::Contains("s-a"));
}

INSTANTIATE_TEST_SUITE_P(Faults, UsageStoreOnAFullDisk,
                         ::testing::Values(testing::FaultyDisk::Fault::kFull,
                                           testing::FaultyDisk::Fault::kHalfFull,
                                           testing::FaultyDisk::Fault::kBroken));

}  // namespace
}  // namespace tilth
