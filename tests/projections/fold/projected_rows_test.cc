#include "projections/fold/projected_rows.h"

#include "projections/fold/row_list.h"
#include "projections/rows/stored_head.h"
#include "tests/fixtures/damaged_store.h"
#include "tests/fixtures/failing_store.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/memory_projection_store.h"

namespace tilth::testing {
namespace {

class ProjectedRowsTest : public ::testing::Test {
 protected:
  template <class... E>
  void commit(const std::string& stream, const E&... events) {
    RowBatch batch(rows.stored());
    (fold(batch, stream, events), ...);
    ASSERT_TRUE(rows.commit(batch.changes()));
  }

  // Commits a removal, and nothing of its cascade.
  void commit_alone(const Event& removal) {
    RowBatch batch(rows.stored());
    MutableRows changed(batch, "user_1", 0);
    projection.evolve(changed, removal);
    ASSERT_TRUE(rows.commit(batch.changes()));
  }

  bool is_seen(const FieldPath& field) const {
    return find(rows.view("user_1", {})->rows, field).has_value();
  }

  MemoryProjectionStore store;
  DamagedStore damaged{store};
  const Projection projection = registry();
  ProgressTracker progress;
  ProjectedRows rows{damaged, projection, progress};
};

TEST_F(ProjectedRowsTest, HaveNoViewBeforeTheyReachThePosition) {
  const Position position{2, 7};
  progress.publish({{2, 7}}, {}, 7);
  EXPECT_FALSE(rows.view("user_1", position));
  EXPECT_TRUE(rows.view("user_1", {}));
  progress.publish({{2, 8}}, {}, 1);
  EXPECT_TRUE(rows.view("user_1", position));
}

TEST_F(ProjectedRowsTest, ShowTheStateBeforeUntilTheyAreReleased) {
  const Position position{0, 8};
  commit("user_1", farm_registered(), field_registered());
  progress.publish({{0, 9}}, {}, 9);
  rows.hold("user_1", rows.snapshot_of("user_1"));
  commit("user_1", FieldRemoved{kField.field_id, kNow});
  EXPECT_TRUE(is_seen(kField));
  EXPECT_FALSE(find(rows.of("user_1"), kField)) << "the newest rows are those to fold into";
  EXPECT_FALSE(rows.view("user_1", position));
  EXPECT_FALSE(rows.view({}, position)) << "of all streams";
  EXPECT_TRUE(rows.view("user_2", position));
  rows.release("user_1");
  EXPECT_FALSE(is_seen(kField));
  EXPECT_TRUE(rows.view("user_1", position));
  EXPECT_TRUE(rows.view({}, position));
}

TEST_F(ProjectedRowsTest, HideWhatLiesBelowARemovedRow) {
  commit("user_1", farm_registered(), field_registered(), crop_registered(), block_registered(),
         plant_registered());
  rows.set_swept("user_1", {kBlock.block_id.uuid});
  EXPECT_TRUE(rows.of("user_1").find(kPlant.plant_id)) << "its block is still there";
  commit_alone(BlockRemoved{kBlock.block_id, kNow});
  EXPECT_TRUE(rows.is_swept("user_1"));
  EXPECT_EQ(rows.swept_streams(), 1U);
  const auto snapshot = rows.snapshot_of("user_1");
  EXPECT_FALSE(rows.of("user_1").find(kPlant.plant_id));
  EXPECT_FALSE(rows.view("user_1", {})->rows.find(kPlant.plant_id));
  EXPECT_FALSE(Rows(rows.newest(), "user_1", 0).find(kPlant.plant_id));
  EXPECT_FALSE(Rows(*snapshot, "user_1", 0).find(kPlant.plant_id));
  EXPECT_TRUE(Rows(rows.stored(), "user_1", 0).find(kPlant.plant_id)) << "to be swept";
  EXPECT_TRUE(is_seen(kField));
  rows.set_swept("user_1", {});
  EXPECT_FALSE(rows.is_swept("user_1"));
  EXPECT_EQ(rows.swept_streams(), 0U);
}

TEST_F(ProjectedRowsTest, FaultTheProjectorIfTheyAreItsOwn) {
  rows.cannot_read({"another", "Those of a generation that it has left."});
  EXPECT_FALSE(progress.faulted());
  rows.cannot_read({"damaged", "They cannot be read."});
  EXPECT_TRUE(progress.unreadable());
  EXPECT_EQ(progress.fault()->message, "They cannot be read.");
}

TEST_F(ProjectedRowsTest, HoldAndHideTheSameInAnotherStore) {
  commit("user_1", farm_registered(), field_registered());
  rows.hold("user_1", rows.snapshot_of("user_1"));
  rows.set_swept("user_2", {kBlock.block_id.uuid});
  MemoryProjectionStore other;
  EXPECT_FALSE(rows.adopt(other));
  EXPECT_TRUE(is_seen(kField));
  EXPECT_TRUE(rows.is_swept("user_2"));
}

TEST_F(ProjectedRowsTest, HoldAndHideNothingOnceUnreadableOnesAreReplaced) {
  commit("user_1", farm_registered(), field_registered());
  rows.hold("user_1", rows.snapshot_of("user_1"));
  rows.set_swept("user_2", {kBlock.block_id.uuid});
  rows.cannot_read({"damaged", "They cannot be read."});
  MemoryProjectionStore other;
  EXPECT_TRUE(rows.adopt(other));
  EXPECT_FALSE(progress.faulted());
  EXPECT_FALSE(is_seen(kField));
  EXPECT_FALSE(rows.is_swept("user_2"));
}

TEST_F(ProjectedRowsTest, KnowTheHeadsOfStreamsAsTheyAreCommitted) {
  EXPECT_EQ(rows.version("user_1"), 0U);
  const StreamHead head{3, "the-third"};
  RowBatch batch(rows.stored());
  batch.put(stored_head_key("user_1"), stored_head(head));
  ASSERT_TRUE(rows.commit(batch.changes()));
  rows.set_heads({{"user_1", head}});
  EXPECT_EQ(rows.head("user_1"), head);
  EXPECT_EQ(rows.of("user_1").version(), 3U);
  MemoryProjectionStore other;
  rows.start_over(other);
  EXPECT_EQ(rows.version("user_1"), 0U);
  rows.start_over(store);
  EXPECT_EQ(rows.head("user_1"), head) << "it is stored";
}

TEST_F(ProjectedRowsTest, StartOverWithoutWhatWasKnownOfTheFormerOnes) {
  commit("user_1", farm_registered(), field_registered());
  rows.hold("user_1", rows.snapshot_of("user_1"));
  rows.set_swept("user_2", {kBlock.block_id.uuid});
  rows.cannot_read({"damaged", "They cannot be read."});
  MemoryProjectionStore other;
  rows.start_over(other);
  EXPECT_FALSE(progress.faulted());
  EXPECT_FALSE(is_seen(kField));
  EXPECT_EQ(rows.swept_streams(), 0U);
}

TEST_F(ProjectedRowsTest, StayAsTheyAreIfTheirStoreCannotCommit) {
  FailingStore failing(store);
  ASSERT_FALSE(rows.adopt(failing));
  commit("user_1", farm_registered());
  failing.fail_all_but_every(1'000);
  RowBatch batch(rows.stored());
  fold(batch, "user_1", field_registered());
  EXPECT_EQ(rows.commit(batch.changes()).error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(is_seen(kField));
  EXPECT_TRUE(find(rows.view("user_1", {})->rows, kFarm));
}

}  // namespace
}  // namespace tilth::testing
