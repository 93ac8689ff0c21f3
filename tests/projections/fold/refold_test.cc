// Rows that are folded again alongside those that are live, and the comparison of the two.

#include "projections/fold/refold.h"

#include "projections/work/task.h"
#include "tests/fixtures/projector_fixture.h"

namespace tilth::testing {
namespace {

using Strings = std::vector<std::string>;

class FoldAgainTest : public ProjectorFixture {
 protected:
  // Folds everything that the live projector has folded.
  void fold_again(const OperatorOverrides& overrides = {}) {
    ASSERT_TRUE(fold.open(overrides));
    for (int turns = 0; turns < 1'000; ++turns) {
      const auto there = fold.advance(projector->progress().next);
      ASSERT_TRUE(there) << there.error().message;
      if (*there) return;
    }
    FAIL() << "it never reached the end";
  }
  Comparison compared(Timestamp now = kNow) {
    auto told = fold.compare_with(*store.snapshot(), now, [] { return true; });
    EXPECT_TRUE(told);
    return *told;
  }
  Strings differences(Timestamp now = kNow) {
    Strings told;
    for (const auto& each : compared(now).differences) {
      told.push_back(each.stream + ": " + each.what + " " + std::string(name_of(each.live)));
    }
    return told;
  }
  void change(const std::string& key, std::optional<std::string> value) {
    ASSERT_TRUE(store.commit({{key, std::move(value)}}));
  }
  std::string row_key_of(std::string_view stream, std::string_view table) const {
    const auto prefix = std::string(stream) + '\0' + 'r' + std::string(table) + '\0';
    const auto found = store.kept().lower_bound(prefix);
    return found->first.starts_with(prefix) ? found->first : "";
  }

  MemoryProjectionStore rebuilt;
  Refold fold{log, rebuilt, registry()};
};

TEST_F(FoldAgainTest, ComesToTheSameAsWhatFollowedTheLog) {
  for (const auto* user : {"user_1", "user_2"}) {
    happened(user, farm_registered(), field_registered(), crop_registered(), block_registered(),
             plant_registered());
  }
  ASSERT_TRUE(begin());
  read_all();
  fold_again();
  EXPECT_TRUE(compared().same());
  EXPECT_EQ(compared().rows, 10U);
  EXPECT_TRUE(store.kept() == rebuilt.kept());
}

TEST_F(FoldAgainTest, GoesNoFurtherThanTheLiveRows) {
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  happened("user_1", field_registered());
  fold_again();
  EXPECT_TRUE(compared().same());
  read_all();
  EXPECT_FALSE(compared().same()) << "now the live rows have more";
  EXPECT_TRUE(*fold.advance(projector->progress().next) ||
              *fold.advance(projector->progress().next));
  EXPECT_TRUE(compared().same());
}

// A crash sets the live rows back, but not the refolded rows that are on disk.
TEST_F(FoldAgainTest, KnowsThatItIsBeyondRowsThatWereThrownBack) {
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  const auto before = projector->progress().next;
  read_all();
  const auto ends = projector->progress().next;
  EXPECT_FALSE(fold.is_beyond(before)) << "nothing is folded yet";
  fold_again();
  EXPECT_FALSE(fold.is_beyond(ends));
  EXPECT_TRUE(fold.is_beyond(before));
}

TEST_F(FoldAgainTest, FoldsWhatAPausedProjectionHasAndNoMore) {
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  projector->apply_overrides({.paused = true});
  happened("user_1", field_registered());
  EXPECT_FALSE(projector->follow(kAtOnce));
  fold_again({.paused = true});
  EXPECT_TRUE(compared().same());
}

TEST_F(FoldAgainTest, NamesWhatIsMissingAndWhatIsOther) {
  happened("user_1", farm_registered());
  happened("user_2", farm_registered(), field_registered());
  ASSERT_TRUE(begin());
  read_all();
  fold_again();
  change(row_key_of("user_1", "farm"), std::nullopt);
  change(row_key_of("user_2", "field"), "something else");
  EXPECT_EQ(differences(), (Strings{"user_1: farm " + kFarm.farm_id.text() + " missing",
                                    "user_2: field " + kField.field_id.text() + " other"}));
}

TEST_F(FoldAgainTest, NamesAStreamThatNoOneWrote) {
  happened("user_2", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  fold_again();
  change(std::string("user_1\0v", 8), "1");
  change(std::string("user_3\0v", 8), "1");
  EXPECT_EQ(differences(),
            (Strings{"user_1: the version unexpected", "user_3: the version unexpected"}));
  EXPECT_EQ(compared().rows, 1U);
}

TEST_F(FoldAgainTest, TellsTheFirstDifferencesAndCountsAll) {
  ASSERT_TRUE(begin());
  read_all();
  fold_again();
  RowBatch::Changes changes;
  for (int i = 0; i < 250; ++i) {
    changes[std::string("user_1\0x", 8) + std::to_string(i)] = "";
  }
  ASSERT_TRUE(store.commit(changes));
  EXPECT_EQ(compared().found, 250U);
  EXPECT_EQ(compared().differences.size(), Comparison::kMostReported);
}

TEST_F(FoldAgainTest, ComparesRowsThatAgeAsOfOneTime) {
  happened("user_1", farm_registered());
  for (int day = 1; day <= 3; ++day) {
    TaskCreated task{{TaskId{kFarm.farm_id.uuid}, {kFarm.farm_id}, {}, kThen}};
    task.created_by = "user_1";
    task.id.uuid.bytes[0] = static_cast<std::uint8_t>(day);
    task.details.title = "Prune";
    task.details.due_date = Timestamp{kNow.at + std::chrono::hours(24 * day)};
    happened("user_1", task);
  }
  ASSERT_TRUE(begin());
  read_all();
  const Timestamp looked_at{kNow.at + std::chrono::hours(36)};
  ASSERT_TRUE(*projector->age("user_1", looked_at));
  fold_again();
  EXPECT_FALSE(store.kept() == rebuilt.kept()) << "only the live ones have aged";
  EXPECT_EQ(differences(Timestamp{kNow.at + std::chrono::hours(60)}), Strings());
}

TEST_F(FoldAgainTest, IsStoppedWhereItsCallerSaysSo) {
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  fold_again();
  RowBatch::Changes changes;
  for (int i = 0; i < 40'000; ++i)
    changes["user_1" + std::string(1, '\0') + std::to_string(i)] = "";
  ASSERT_TRUE(store.commit(changes));
  const auto stopped = fold.compare_with(*store.snapshot(), kNow, [] { return false; });
  EXPECT_EQ(stopped.error().code, ErrorCode::kUnavailable);
}

TEST(LogPartTest, EndsWhereItIsTold) {
  MemoryEventLog log{2};
  for (std::uint64_t i = 0; i < 5; ++i) append(log, record("user_1", i, farm_registered()));
  const int partition = log.partition_of("user_1");
  BoundedLog part(log);
  const auto reader = part.read({{0, 0}, {1, 0}});
  ASSERT_TRUE(reader);
  const auto offsets = [&](std::size_t limit) {
    std::vector<std::int64_t> found;
    const auto page = (*reader)->next(limit, std::chrono::milliseconds(0));
    for (const auto& logged : *page) found.push_back(logged.position.offset);
    return found;
  };
  using Offsets = std::vector<std::int64_t>;
  EXPECT_EQ(offsets(10), Offsets());
  part.end_before({{partition, 3}});
  EXPECT_EQ(offsets(2), (Offsets{0, 1}));
  EXPECT_EQ(offsets(10), (Offsets{2}));
  EXPECT_EQ(offsets(10), Offsets());
  part.end_before({{partition, 2}});
  EXPECT_EQ(offsets(10), Offsets()) << "it does not go back";
  part.end_before({{partition, 5}});
  EXPECT_EQ(offsets(10), (Offsets{3, 4}));
}

}  // namespace
}  // namespace tilth::testing
