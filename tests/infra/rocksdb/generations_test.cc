// Which generation of a projection's rows is read, and what is left of the others.

#include "infra/rocksdb/generations.h"

#include <fstream>

#include <gtest/gtest.h>

#include "infra/node/overrides_file.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

namespace fs = std::filesystem;

class GenerationsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Generations> open(const std::string& fingerprint = "1") {
    auto opened = Generations::open(directory.path(), "rows", fingerprint, memory);
    if (!opened) {
      ADD_FAILURE() << opened.error().message;
      std::abort();
    }
    return std::move(*opened);
  }
  static void put(RocksStore& store, const std::string& value) {
    ASSERT_TRUE(store.commit({{"key", value}}));
  }
  static std::string read(const RowReader& rows) { return rows.get("key").value_or("nothing"); }
  bool exists(int generation) const {
    return fs::exists(directory.path() / "rows" / std::to_string(generation));
  }

  const TemporaryDirectory directory{TemporaryDirectory::memory()};
  const RocksMemory memory{1 << 20, 1 << 20};
};

TEST_F(GenerationsTest, TheFirstIsLive) {
  const auto generations = open();
  EXPECT_EQ(generations->plan().live, 1);
  EXPECT_FALSE(generations->plan().previous);
  EXPECT_FALSE(generations->thrown_away());
}

TEST_F(GenerationsTest, TheNextIsReadOnceItIsSwitchedToAndStaysSo) {
  auto generations = open();
  put(*generations->live(), "old");
  const auto before = generations->live()->snapshot();
  {
    const auto next = generations->begin_next(false);
    ASSERT_TRUE(next);
    put(**next, "new");
    EXPECT_EQ(read(*generations->live()->snapshot()), "old");
    ASSERT_TRUE(generations->switch_to(*next));
  }
  EXPECT_EQ(read(*generations->live()->snapshot()), "new");
  EXPECT_EQ(read(*before), "old") << "a snapshot stays readable";
  EXPECT_EQ(generations->plan().previous, 1);
  generations.reset();
  EXPECT_EQ(read(*before), "old");
  generations = open();
  EXPECT_EQ(generations->plan().live, 2);
  EXPECT_EQ(read(*generations->live()->snapshot()), "new");
}

TEST_F(GenerationsTest, WhatWasReleasedGoesWhenNoOneReadsItAnyMore) {
  const auto generations = open();
  put(*generations->live(), "old");
  auto before = generations->live()->snapshot();
  ASSERT_TRUE(generations->switch_to(*generations->begin_next(false)));
  ASSERT_TRUE(generations->release_previous());
  EXPECT_FALSE(generations->plan().previous);
  EXPECT_EQ(read(*before), "old");
  before.reset();
  EXPECT_FALSE(exists(1));
  EXPECT_EQ(generations->open_previous().error().code, ErrorCode::kConflict);
}

TEST_F(GenerationsTest, WhatIsHalfBuiltGoesOnAfterARestart) {
  auto generations = open();
  put(**generations->begin_next(true), "half");
  ASSERT_TRUE(generations->set_stopped(true));
  generations.reset();
  generations = open();
  const auto plan = generations->plan();
  EXPECT_EQ(plan.next, 2);
  EXPECT_TRUE(plan.manual && plan.stopped);
  const auto next = generations->open_next();
  ASSERT_TRUE(next);
  EXPECT_EQ(read(*(*next)->snapshot()), "half");
  EXPECT_EQ(generations->begin_next(false).error().code, ErrorCode::kConflict);
}

TEST_F(GenerationsTest, OneThatCannotBeBegunIsNotBeingBuilt) {
  const auto generations = open();
  put(*generations->live(), "old");
  std::ofstream(directory.path() / "rows" / "2") << "no directory";
  EXPECT_EQ(generations->begin_next(true).error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(generations->plan().next);
  EXPECT_FALSE(generations->plan().manual);
  EXPECT_EQ(read(*generations->live()->snapshot()), "old");
  ASSERT_TRUE(generations->begin_next(false));
  EXPECT_TRUE(generations->plan().next);
}

TEST_F(GenerationsTest, GoesBackToTheFormerOneAlsoAfterARestart) {
  auto generations = open();
  put(*generations->live(), "old");
  ASSERT_TRUE(generations->switch_to(*generations->begin_next(false)));
  generations.reset();
  generations = open();
  const auto previous = generations->open_previous();
  ASSERT_TRUE(previous);
  ASSERT_TRUE(generations->switch_to(*previous));
  EXPECT_EQ(generations->plan().live, 1);
  EXPECT_EQ(generations->plan().previous, 2);
  EXPECT_EQ(read(*generations->live()->snapshot()), "old");
}

TEST_F(GenerationsTest, OnlyTheLastTwoStayAndTheirNumbersGrow) {
  const auto generations = open();
  for (int expected = 2; expected < 6; ++expected) {
    const auto next = generations->begin_next(false);
    ASSERT_TRUE(next);
    EXPECT_EQ((*next)->generation(), expected);
    ASSERT_TRUE(generations->switch_to(*next));
    generations->close_unused();
  }
  EXPECT_FALSE(exists(1) || exists(2) || exists(3));
  EXPECT_TRUE(exists(4) && exists(5));
  ASSERT_TRUE(generations->drop_next());
  EXPECT_EQ((*generations->begin_next(false))->generation(), 6);
}

TEST_F(GenerationsTest, TheOneBeforeTheFormerGoesAlsoIfItWasNotOpenedSinceARestart) {
  ASSERT_TRUE([&] {
    const auto generations = open();
    return generations->switch_to(*generations->begin_next(false));
  }());
  const auto generations = open();
  ASSERT_TRUE(generations->switch_to(*generations->begin_next(false)));
  generations->close_unused();
  EXPECT_FALSE(exists(1));
  EXPECT_TRUE(exists(2) && exists(3));
}

TEST_F(GenerationsTest, RowsOfAnotherShapeBeginAnew) {
  put(*open()->live(), "old");
  ASSERT_TRUE(open()->begin_next(false));
  auto generations = open("2");
  EXPECT_EQ(generations->thrown_away()->code, ErrorCode::kConflict);
  EXPECT_EQ(generations->plan().live, 3);
  EXPECT_EQ(read(*generations->live()->snapshot()), "nothing");
  EXPECT_FALSE(exists(1) || exists(2));
  generations.reset();
  EXPECT_FALSE(open("2")->thrown_away());
}

TEST_F(GenerationsTest, DamagedRowsBeginAgainAndThoseThatMayNotBeReadDoNot) {
  put(*open()->live(), "old");
  const auto folder = directory.path() / "rows" / "1";
  fs::rename(folder / "CURRENT", folder / "aside");
  fs::create_directory(folder / "CURRENT");
  const auto refused = Generations::open(directory.path(), "rows", "1", memory);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  fs::remove(folder / "CURRENT");
  fs::rename(folder / "aside", folder / "CURRENT");
  EXPECT_EQ(read(*open()->live()->snapshot()), "old");

  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("MANIFEST")) fs::remove(entry.path());
  }
  auto generations = open();
  EXPECT_EQ(generations->thrown_away()->code, ErrorCode::kDamaged);
  EXPECT_EQ(generations->plan().live, 2);
  EXPECT_EQ(read(*generations->live()->snapshot()), "nothing");
  EXPECT_FALSE(exists(1));
  put(*generations->live(), "new");
  generations.reset();

  fs::remove(directory.path() / "rows" / "2" / "CURRENT");
  generations = open();
  EXPECT_EQ(generations->thrown_away()->code, ErrorCode::kDamaged);
  EXPECT_EQ(generations->plan().live, 3);
  generations.reset();
  EXPECT_FALSE(open()->thrown_away());
}

TEST_F(GenerationsTest, ThoseThatAreClosedHaveNoFilesUntilTheyAreOpened) {
  const auto closed = [&] { return Generations::closed(directory.path(), "rows", "1", memory); };
  const auto generations = closed();
  EXPECT_EQ(generations->live(), nullptr);
  EXPECT_TRUE(generations->is_absent());
  EXPECT_FALSE(fs::exists(directory.path() / "rows"));
  ASSERT_TRUE(generations->open());
  put(*generations->live(), "kept");
  ASSERT_TRUE(generations->open()) << "they are open";
  EXPECT_EQ(read(generations->live()->newest()), "kept");
  EXPECT_FALSE(closed()->is_absent());
}

TEST_F(GenerationsTest, WithoutAPlanTheNewestIsLive) {
  put(**open()->begin_next(false), "newest");
  fs::remove(directory.path() / "rows" / "plan");
  const auto generations = open();
  EXPECT_EQ(read(*generations->live()->snapshot()), "newest");
  EXPECT_FALSE(exists(1)) << "generations that are not in the plan are deleted";
}

TEST_F(GenerationsTest, APlanThatCannotBeReadIsNamed) {
  open();
  std::ofstream(directory.path() / "rows" / "plan") << "{";
  const auto opened = Generations::open(directory.path(), "rows", "1", memory);
  EXPECT_EQ(opened.error().code, ErrorCode::kDamaged);
  EXPECT_NE(opened.error().message.find("plan"), std::string::npos);
}

TEST_F(GenerationsTest, ThereIsOneScratchAtATimeAndItGoes) {
  const auto generations = open();
  {
    const auto scratch = generations->open_scratch();
    ASSERT_TRUE(scratch);
    put(**scratch, "scratch");
    EXPECT_EQ(generations->open_scratch().error().code, ErrorCode::kConflict);
    EXPECT_EQ(read(*generations->live()->snapshot()), "nothing");
  }
  EXPECT_EQ(read((*generations->open_scratch())->newest()), "nothing");
}

TEST_F(GenerationsTest, OrdersAreKeptForEachProjection) {
  const auto path = directory.path() / "projections";
  {
    OverridesFile overrides(path);
    ASSERT_TRUE(overrides.open());
    ASSERT_TRUE(overrides.keep("registry", {.paused = true}));
    ASSERT_TRUE(overrides.keep("access", {.skipped = {{3, 14, "id", "why", {}}}}));
  }
  OverridesFile overrides(path);
  ASSERT_TRUE(overrides.open());
  EXPECT_TRUE(overrides.of("registry").paused);
  EXPECT_FALSE(overrides.of("access").paused);
  ASSERT_EQ(overrides.of("access").skipped.size(), 1U);
  EXPECT_EQ(overrides.of("access").skipped[0].offset, 14);
  EXPECT_FALSE(overrides.of("market").paused);
  std::ofstream(path) << "no overrides";
  EXPECT_EQ(OverridesFile(path).open().error().code, ErrorCode::kDamaged);
}

}  // namespace
}  // namespace tilth::testing
