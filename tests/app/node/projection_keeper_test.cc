#include "app/node/projection_keeper.h"

#include <filesystem>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "infra/embedded/memory_event_log.h"
#include "infra/node/overrides_file.h"
#include "infra/rocksdb/rocks_store.h"
#include "infra/system/random.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/noon_clock.h"
#include "tests/fixtures/records.h"
#include "tests/fixtures/set_time.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using testing::wait_until;

class ProjectionKeeperTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(orders_.open());
    testing::append(log_, testing::record("user_1", 0, testing::farm_registered()));
  }
  void TearDown() override {
    if (keeper_) keeper_->stop();
  }

  void start() {
    auto opened = ProjectionKeeper::open(
        {log_, directory_.path(), memory_, orders_, clock_, lines_, nullptr}, registry(),
        {.node = "tilth://a",
         .now = [this] { return clock_.now(); },
         .new_id = [this] { return ids_.uuid(clock_.now()); }});
    ASSERT_TRUE(opened) << opened.error().message;
    keeper_ = std::move(*opened);
    keeper_->start();
  }
  void stop() {
    keeper_->stop();
    keeper_.reset();
  }

  testing::NoonClock clock_;
  IdSource ids_{fill_random};
  MemoryEventLog log_{1, MemoryEventLog::Refused::kKept};
  testing::TemporaryDirectory directory_;
  RocksMemory memory_{1 << 20, 1 << 20};
  OverridesFile orders_{directory_.path() / "projections"};
  LogLines lines_{clock_, -1, LogLines::Form::kText, LogLevel::kError};  // writes none
  std::unique_ptr<ProjectionKeeper> keeper_;
};

// Such as one that another process has open.
TEST_F(ProjectionKeeperTest, BuildsAnotherGenerationInPlaceOfOneThatCouldNotBeOpened) {
  start();
  const auto unfinished = keeper_->rebuild(true, 0);
  ASSERT_TRUE(unfinished) << unfinished.error().message;
  stop();
  {
    const auto elsewhere = RocksStore::open(directory_.path(), "registry", *unfinished,
                                            registry().fingerprint, memory_);
    ASSERT_TRUE(elsewhere) << elsewhere.error().message;
    start();
    EXPECT_FALSE(keeper_->standing().building);
  }
  ASSERT_TRUE(keeper_->abandon_build());
  const auto begun = keeper_->rebuild(true, 0);
  ASSERT_TRUE(begun) << begun.error().message;
  EXPECT_GT(*begun, *unfinished);
}

TEST_F(ProjectionKeeperTest, PurgesAGenerationThatCouldNotBeOpened) {
  start();
  const auto unfinished = keeper_->rebuild(true, 0);
  ASSERT_TRUE(unfinished) << unfinished.error().message;
  stop();
  {
    const auto elsewhere = RocksStore::open(directory_.path(), "registry", *unfinished,
                                            registry().fingerprint, memory_);
    ASSERT_TRUE(elsewhere) << elsewhere.error().message;
    start();
  }
  const auto folder = directory_.path() / "registry" / std::to_string(*unfinished);
  ASSERT_TRUE(std::filesystem::exists(folder));
  const auto purged = keeper_->purge("user_1", [] { return true; });
  ASSERT_TRUE(purged) << purged.error().message;
  EXPECT_FALSE(std::filesystem::exists(folder)) << "it may hold rows of whom it is purged of";
}

// Only the live generation is told to pass over what cannot be read.
TEST_F(ProjectionKeeperTest, SaysWhyItCannotSwitch) {
  start();
  ASSERT_TRUE(keeper_->rebuild(false, 0));
  wait_until([&] { return keeper_->standing().previous.has_value(); });
  testing::append(log_,
                  {.stream = "user_1", .envelope = {.id = "?"}, .foreign = "It is not ours."});
  wait_until([&] { return keeper_->standing().progress.state == ProjectionState::kFaulted; });
  ASSERT_TRUE(keeper_->apply({.skipped = {{0, 1, "?", "It is not ours.", clock_.now()}}}));
  wait_until([&] { return keeper_->standing().progress.state == ProjectionState::kRunning; });
  const auto switched = keeper_->switch_over(true);
  ASSERT_FALSE(switched);
  EXPECT_EQ(switched.error().code, ErrorCode::kConflict);
  EXPECT_EQ(switched.error().message, "It is not ours.");
}

}  // namespace
}  // namespace tilth
