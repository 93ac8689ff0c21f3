#include "projections/fold/pending_cascades.h"

#include <algorithm>
#include <string_view>

#include "tests/fixtures/failing_store.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/records.h"

namespace tilth::testing {
namespace {

using namespace std::literals;

class PendingCascadesTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBudget = 60;
  static constexpr std::uint8_t kPlants = 200;  // hidden with their block
  static constexpr std::uint8_t kTasks = 20;    // taken out of lists that stay

  PendingCascadesTest() {
    RowBatch batch(rows.stored());
    for (const auto* stream : {"user_1", "user_2"}) {
      fold(batch, stream, farm_registered());
      fold(batch, stream, field_registered());
      fold(batch, stream, crop_registered());
      fold(batch, stream, block_registered());
      for (std::uint8_t i = 0; i < kPlants; ++i) {
        PlantPath at = kPlant;
        at.plant_id.uuid.bytes[0] = i;
        fold(batch, stream, plant_registered(at, {.label = "P"}));
      }
      for (std::uint8_t i = 0; i < kTasks; ++i) {
        TaskPath at = kTask;
        at.task_id.uuid.bytes[0] = i;
        fold(batch, stream, task_created(at));
      }
    }
    EXPECT_TRUE(rows.commit(batch.changes()));
  }

  // Folds and commits a removal as a projector does; its record waits if it has to.
  Status remove(const Event& removal, const std::string& stream = "user_1") {
    RowBatch batch(rows.newest());
    MutableRows changed(batch, stream, 0);
    projection.evolve(changed, removal);
    PendingCascades::ByStream begun;
    cascades.begin(batch, changed, begun);
    cascades.hold(begun);
    if (const auto committed = rows.commit(batch.changes()); !committed) {
      cascades.release(begun);
      return committed;
    }
    const auto logged = std::make_shared<const Record>(record(stream, 7, removal));
    for (auto& [of, pending] : begun) {
      if (!pending.cascade.is_hidden()) pending.unreported.push_back({{{0, 7}, logged}, true});
    }
    cascades.add(std::move(begun));
    return kDone;
  }

  void advance_until_hidden(PendingCascades& pending) {
    for (int turns = 0; pending.cascading("user_1"); ++turns) {
      ASSERT_LT(turns, 1'000);
      ASSERT_TRUE(*pending.advance());
    }
  }

  void sweep_all() {
    for (int turns = 0; *cascades.sweep(); ++turns) ASSERT_LT(turns, 1'000);
    EXPECT_TRUE(cascades.empty());
    EXPECT_EQ(rows.swept_streams(), 0U);
    EXPECT_FALSE(PendingCascades::any_in(rows.stored()));
  }

  std::size_t rows_kept(std::string_view prefix = "user_1\0r"sv) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        store.kept(), [&](const auto& each) { return each.first.starts_with(prefix); }));
  }
  bool farm_is_seen() const { return find(rows.view("user_1", {})->rows, kFarm).has_value(); }

  MemoryProjectionStore store;
  FailingStore failing{store};
  const Projection projection = registry();
  ProgressTracker progress;
  ProjectedRows rows{failing, projection, progress};
  std::vector<std::string> heard;
  const OnRecord on_record = [this](const LoggedRecord& logged, bool, const auto&, auto) {
    heard.push_back(logged.record->envelope.id);
  };
  PendingCascades cascades{rows, kBudget, on_record};
};

const FarmRemoved kFarmGone{kFarm.farm_id, kNow};
const BlockRemoved kBlockGone{kBlock.block_id, kNow};
const std::vector<std::string> kReported{"user_1.7"};

TEST_F(PendingCascadesTest, BeginNoneThatOneCommitErases) {
  ASSERT_TRUE(remove(TaskRemoved{kTask.task_id, kNow}));
  EXPECT_TRUE(cascades.empty());
  EXPECT_FALSE(PendingCascades::any_in(rows.stored()));
}

TEST_F(PendingCascadesTest, ShowTheStateBeforeUntilTheRestIsHidden) {
  ASSERT_TRUE(remove(kFarmGone));
  EXPECT_TRUE(cascades.cascading("user_1"));
  EXPECT_TRUE(cascades.contains("user_1"));
  EXPECT_FALSE(cascades.contains("user_2"));
  EXPECT_TRUE(PendingCascades::any_in(rows.stored()));
  while (cascades.cascading("user_1")) {
    EXPECT_TRUE(farm_is_seen());
    EXPECT_TRUE(heard.empty());
    ASSERT_TRUE(*cascades.advance());
  }
  EXPECT_FALSE(farm_is_seen());
  EXPECT_EQ(heard, kReported);
  EXPECT_EQ(rows.swept_streams(), 1U);
  EXPECT_GT(rows_kept(), kPlants / 2);
  EXPECT_FALSE(*cascades.advance()) << "the rest is swept";
  sweep_all();
  EXPECT_EQ(rows_kept(), 0U);
  EXPECT_EQ(heard, kReported) << "once";
}

TEST_F(PendingCascadesTest, HideAtOnceWhatLiesBelowABlock) {
  ASSERT_TRUE(remove(kBlockGone));
  EXPECT_FALSE(cascades.cascading("user_1"));
  EXPECT_FALSE(cascades.empty());
  EXPECT_TRUE(rows.is_swept("user_1"));
  sweep_all();
}

TEST_F(PendingCascadesTest, AreSweptInTurn) {
  ASSERT_TRUE(remove(kBlockGone));
  ASSERT_TRUE(remove(kBlockGone, "user_2"));
  const auto first = rows_kept(), second = rows_kept("user_2\0r"sv);
  ASSERT_TRUE(*cascades.sweep());
  ASSERT_TRUE(*cascades.sweep());
  EXPECT_LT(rows_kept(), first);
  EXPECT_LT(rows_kept("user_2\0r"sv), second);
  sweep_all();
}

TEST_F(PendingCascadesTest, FinishAtOnceWhereTheStreamGoesOn) {
  ASSERT_TRUE(remove(kFarmGone));
  ASSERT_TRUE(cascades.finish("user_1"));
  EXPECT_TRUE(cascades.empty());
  EXPECT_EQ(rows_kept(), 0U);
  EXPECT_EQ(heard, kReported);
}

TEST_F(PendingCascadesTest, AddARemovalToThatWhichIsBeingSwept) {
  ASSERT_TRUE(remove(kBlockGone));
  ASSERT_TRUE(remove(kFarmGone));
  EXPECT_TRUE(cascades.cascading("user_1"));
  advance_until_hidden(cascades);
  EXPECT_EQ(heard, kReported);
  sweep_all();
  EXPECT_EQ(rows_kept(), 0U) << "of both";
}

TEST_F(PendingCascadesTest, LeaveNoTraceOfARemovalThatWasNotCommitted) {
  failing.fail_all_but_every(1'000);
  EXPECT_EQ(remove(kBlockGone).error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(rows.is_swept("user_1"));
  EXPECT_EQ(remove(kFarmGone).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(cascades.empty());
  failing.fail_all_but_every(1);
  RowBatch batch(rows.stored());
  fold(batch, "user_1", FarmAmended{kFarm.farm_id, {.name = "Later"}, kNow});
  ASSERT_TRUE(rows.commit(batch.changes()));
  EXPECT_EQ(find(rows.view("user_1", {})->rows, kFarm)->details.name, "Later")
      << "readers see what is committed";
}

TEST_F(PendingCascadesTest, KeepWhatIsHiddenWhenTheNextRemovalIsNotCommitted) {
  ASSERT_TRUE(remove(kBlockGone));
  failing.fail_all_but_every(1'000);
  EXPECT_FALSE(remove(kFarmGone));
  EXPECT_TRUE(rows.is_swept("user_1"));
  EXPECT_FALSE(cascades.cascading("user_1"));
  EXPECT_FALSE(rows.view("user_1", {})->rows.find(kPlant.plant_id));
  EXPECT_TRUE(farm_is_seen());
}

TEST_F(PendingCascadesTest, SkipNothingThatCouldNotBeCommitted) {
  ASSERT_TRUE(remove(kFarmGone));
  failing.fail_all_but_every(2);
  int refused = 0;
  while (cascades.cascading("user_1")) {
    EXPECT_TRUE(farm_is_seen());
    refused += !cascades.advance();
    ASSERT_LT(refused, 1'000);
  }
  EXPECT_GT(refused, 1);
  EXPECT_EQ(heard, kReported);
  failing.fail_all_but_every(1);
  sweep_all();
  EXPECT_EQ(rows_kept(), 0U);
}

TEST_F(PendingCascadesTest, ResumeAfterARestart) {
  ASSERT_TRUE(remove(kFarmGone));
  ASSERT_TRUE(remove(kBlockGone, "user_2"));
  ProjectedRows rows_after(store, projection, progress);
  PendingCascades resumed(rows_after, kBudget, on_record);
  resumed.resume();
  EXPECT_TRUE(resumed.cascading("user_1"));
  EXPECT_FALSE(resumed.cascading("user_2"));
  EXPECT_TRUE(rows_after.is_swept("user_2"));
  advance_until_hidden(resumed);
  while (*resumed.sweep()) continue;
  EXPECT_EQ(rows_kept(), 0U);
  EXPECT_FALSE(PendingCascades::any_in(rows_after.stored()));
  EXPECT_TRUE(heard.empty());
}

TEST_F(PendingCascadesTest, ReportWhatWaitedOnceOtherRowsAreUsed) {
  ASSERT_TRUE(remove(kFarmGone));
  cascades.report_and_clear();
  EXPECT_EQ(heard, kReported);
  EXPECT_TRUE(cascades.empty());
}

}  // namespace
}  // namespace tilth::testing
