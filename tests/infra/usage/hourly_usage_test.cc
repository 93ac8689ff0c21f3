#include "infra/usage/hourly_usage.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();
Timestamp after(std::chrono::milliseconds span) { return {kNoon.at + span}; }

class HourlyUsageTest : public ::testing::Test {
 protected:
  void SetUp() override { restart(); }

  void restart() {
    usage_.reset();
    store_.reset();
    auto opened = UsageStore::open(directory_.path() / "usage", memory_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    usage_ = std::make_unique<HourlyUsage>(*store_, "one");
  }

  std::vector<HourlyTotal> keep(Timestamp now = kNoon) {
    auto kept = usage_->keep(now);
    EXPECT_TRUE(kept);
    return std::move(*kept);
  }

  std::vector<HourOfKey> hours(const std::string& owner, Timestamp since = kNoon,
                               Timestamp now = kNoon) {
    auto found = usage_->find(owner, since, now);
    EXPECT_TRUE(found);
    return std::move(*found);
  }

  std::size_t entries() const {
    std::size_t all = 0;
    EXPECT_TRUE(store_->read_entries('h', [&](auto, auto) { ++all; }));
    return all;
  }

  const testing::TemporaryDirectory directory_;
  const RocksMemory memory_{1 << 20, 8 << 20};
  std::unique_ptr<UsageStore> store_;
  std::unique_ptr<HourlyUsage> usage_;
};

using Hours = std::vector<HourOfKey>;

TEST_F(HourlyUsageTest, AddsUpHoursByKeyBeforeAndAfterARestart) {
  usage_->count("ada", "key_b", after(59min), false);
  usage_->count("ada", "key_a", after(1ms), true);
  usage_->count("ada", "key_a", after(1h), false);
  usage_->count("ad", "key_c", after(0ms), false);
  const Hours expected = {
      {kNoon, "key_a", 1, 1}, {kNoon, "key_b", 1, 0}, {after(1h), "key_a", 1, 0}};
  EXPECT_EQ(hours("ada"), expected) << "before it is stored";
  keep();
  EXPECT_EQ(hours("ada"), expected);
  restart();
  EXPECT_EQ(hours("ada"), expected);
  usage_->count("ada", "key_b", after(2min), true);
  EXPECT_EQ(hours("ada").at(1), (HourOfKey{kNoon, "key_b", 2, 1}));
  keep();
  EXPECT_EQ(hours("ada").at(1), (HourOfKey{kNoon, "key_b", 2, 1}));
  EXPECT_EQ(hours("ad").size(), 1U);
  EXPECT_EQ(hours("a"), Hours{});
}

TEST_F(HourlyUsageTest, FindsEachHourOfSeveralDaysOnce) {
  Hours expected;
  for (const auto hour : {0h, 23h, 24h, 47h, 48h, 60h}) {
    usage_->count("ada", "key_a", after(hour), false);
    expected.push_back({after(hour), "key_a", 1, 0});
  }
  EXPECT_EQ(hours("ada", kNoon, after(60h)), expected);
  keep(after(60h));
  EXPECT_EQ(hours("ada", kNoon, after(60h)), expected);
  for (auto& each : expected) {
    usage_->count("ada", "key_a", each.hour, true);
    each = {each.hour, "key_a", 2, 1};
  }
  EXPECT_EQ(hours("ada", kNoon, after(60h)), expected);
}

TEST_F(HourlyUsageTest, BeginsWithTheHourOfAnInstant) {
  usage_->count("ada", "key_a", kNoon, false);
  usage_->count("ada", "key_a", after(1h), false);
  EXPECT_EQ(hours("ada", after(59min)).size(), 2U);
  EXPECT_EQ(hours("ada", after(60min)).size(), 1U);
  EXPECT_EQ(hours("ada", after(2h)), Hours{});
}

TEST_F(HourlyUsageTest, ErasesWhatIsTooOldAndKeepsTheRest) {
  for (int i = 0; i < 500; ++i) usage_->count("ada", "key_" + std::to_string(i), kNoon, false);
  usage_->count("ada", "key_new", after(48h), false);
  keep();
  const auto later = after(UsageHistory::kKept + 1h);
  EXPECT_EQ(hours("ada", kNoon, later).size(), 1U) << "at once for queries";
  for (int i = 0; i < 3; ++i) keep(later);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(HourlyUsageTest, AddsWhatOtherNodesCountHoweverOftenItArrives) {
  usage_->count("ada", "key_a", kNoon, true);
  keep();
  const auto hour = kNoon.at.time_since_epoch() / 1h;
  const std::vector<HourlyTotal> earlier = {{"ada", hour, "key_a", 5, 0}},
                                 later = {{"ada", hour, "key_a", 7, 2}};
  for (const auto& told : {earlier, later, earlier, later}) {
    ASSERT_TRUE(usage_->apply("other", told, kNoon));
  }
  ASSERT_TRUE(usage_->apply("third", earlier, kNoon));
  EXPECT_EQ(hours("ada"), (Hours{{kNoon, "key_a", 13, 3}}));
}

TEST_F(HourlyUsageTest, TellsTotalsAndNotWhatIsNew) {
  for (int i = 1; i <= 2; ++i) {
    usage_->count("ada", "key_a", kNoon, true);
    const auto told = keep();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told.front().requests, i);
    EXPECT_EQ(told.front().limited, i);
  }
  EXPECT_TRUE(keep().empty());
}

TEST_F(HourlyUsageTest, IgnoresTotalsThatMakeNoSense) {
  const auto hour = kNoon.at.time_since_epoch() / 1h;
  ASSERT_TRUE(usage_->apply("other",
                            {{"ada", -1, "key_a", 1, 0},
                             {"ada", hour + 1'000, "key_a", 1, 0},
                             {"ada", hour, "key_a", -1, 0},
                             {"ada", hour, "key_a", 1, -1},
                             {std::string("a\0b", 3), hour, "key_a", 1, 0}},
                            kNoon));
  EXPECT_EQ(entries(), 0U);
}

}  // namespace
}  // namespace tilth
