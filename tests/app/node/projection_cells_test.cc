#include "app/node/projection_cells.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "events/log/log_end.h"
#include "infra/embedded/memory_event_log.h"
#include "infra/node/overrides_file.h"
#include "infra/system/random.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/noon_clock.h"
#include "tests/fixtures/passing_log.h"
#include "tests/fixtures/records.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth {
namespace {

// Something happens at the next time that the log is read from the beginning.
class LogWithEvent final : public testing::PassingLog {
 public:
  using PassingLog::PassingLog;

  std::function<void()> at_next_read;

 private:
  std::unique_ptr<LogReader> around(std::unique_ptr<LogReader> reader) override {
    if (at_next_read) std::exchange(at_next_read, nullptr)();
    return reader;
  }
};

class ProjectionCellsTest : public ::testing::Test {
 protected:
  static constexpr int kCells = 2;

  void SetUp() override {
    ASSERT_TRUE(overrides_.open());
    for (int i = 0; i < 40; ++i) {  // so that each cell has some
      const auto owner = "user_" + std::to_string(i);
      testing::append(log_, testing::record(owner, 0, testing::farm_registered()));
    }
    auto opened = ProjectionCells::open(
        {.of_each = {read_, directory_.path(), memory_, overrides_, clock_, lines_, nullptr},
         .overrides = overrides_,
         .layout = {log_, kCells, CellLayout::ReferenceData::kApart},
         .divided = true},
        registry(), [this](int) -> CommandLoop::Sources {
          return {.node = "tilth://a",
                  .now = [this] { return clock_.now(); },
                  .new_id = [this] { return ids_.uuid(clock_.now()); }};
        });
    ASSERT_TRUE(opened) << opened.error().message;
    cells_ = std::move(*opened);
    for (std::size_t cell = 0; cell < kCells; ++cell) hold(cell);
  }
  void TearDown() override { cells_->stop(); }

  void hold(std::size_t cell) {
    const auto ends = ends_of(log_);
    ASSERT_TRUE(ends) << ends.error().message;
    const auto held = cells_->hold(cell, *ends, [] { return false; });
    ASSERT_TRUE(held) << held.error().message;
  }

  testing::NoonClock clock_;
  IdSource ids_{fill_random};
  MemoryEventLog log_{4};
  LogWithEvent read_{log_};
  testing::TemporaryDirectory directory_;
  RocksMemory memory_{1 << 20, 1 << 20};
  OverridesFile overrides_{directory_.path() / "projections"};
  LogLines lines_{clock_, -1, LogLines::Form::kText, LogLevel::kError};  // writes none
  std::unique_ptr<ProjectionCells> cells_;
};

TEST_F(ProjectionCellsTest, AreComparedAlthoughOneIsGivenUpMeanwhile) {
  const auto whole = cells_->verify();
  ASSERT_TRUE(whole) << whole.error().message;
  read_.at_next_read = [this] { EXPECT_TRUE(cells_->give_up(0)); };
  const auto rest = cells_->verify();
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->found, 0U);
  EXPECT_LT(rest->rows, whole->rows);
  EXPECT_GT(rest->rows, 0U);
}

TEST_F(ProjectionCellsTest, AreNotReadyToBeComparedOnceNoneIsLeft) {
  ASSERT_TRUE(cells_->give_up(1));
  read_.at_next_read = [this] { EXPECT_TRUE(cells_->give_up(0)); };
  const auto none = cells_->verify();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace tilth
