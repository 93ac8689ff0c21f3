#include <memory>

#include "infra/embedded/memory_event_log.h"
#include "projections/history/past_rows.h"
#include "projections/history/stream_index.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/records.h"

namespace tilth::testing {
namespace {

Timestamp on(const char* day) { return parsed<Timestamp>(day); }

class PastSpec : public ::testing::Test {
 protected:
  PastSpec() { EXPECT_TRUE(index.open()); }

  void happened(const char* day, const Event& event, const std::string& stream = "user_1") {
    auto next = record(stream, versions[stream]++, event);
    next.envelope.time = on(day);
    append(log, std::move(next));
  }
  Result<RowView> past(const char* day, bool aged = false) {
    return fold_past(sources, "user_1", on(day), aged, [this] { return go_on; });
  }

  MemoryEventLog log{1};
  MemoryProjectionStore kept;
  StreamIndex index{log, kept};
  int scratches = 0;
  bool go_on = true;
  PastSources sources{log, index, registry(), [this]() -> Result<std::unique_ptr<ProjectionStore>> {
                        ++scratches;
                        return std::unique_ptr<ProjectionStore>(new MemoryProjectionStore);
                      }};
  std::map<std::string, std::uint64_t> versions;
};

TEST_F(PastSpec, HoldsWhatHadHappenedByThen) {
  happened("2026-01-01", farm_registered());
  happened("2026-01-02", field_registered());
  happened("2026-01-03", FieldRemoved{kField.field_id, on("2026-01-03")});
  EXPECT_FALSE(find(past("2025-12-31")->rows, kFarm));
  EXPECT_TRUE(find(past("2026-01-01")->rows, kFarm)) << "including that instant";
  EXPECT_FALSE(find(past("2026-01-01T23:59:59.999Z")->rows, kField));
  EXPECT_TRUE(find(past("2026-01-02")->rows, kField));
  EXPECT_FALSE(find(past("2026-01-03")->rows, kField));
}

TEST_F(PastSpec, HoldsNothingOfOthers) {
  happened("2026-01-01", farm_registered(), "user_2");
  EXPECT_FALSE(find(past("2026-01-01")->rows, kFarm));
}

TEST_F(PastSpec, ListsWhatWasOverdueThenAndNotWhatFellDueLater) {
  happened("2026-02-01", farm_registered());
  happened("2026-02-02", task_created(kTask, {.title = "Prune", .due_date = on("2026-02-05")}));
  const auto listed = [&](const char* day) {
    const auto view = past(day, true);
    return view->rows.find(kTask.task_id)->listed_overdue;
  };
  EXPECT_FALSE(listed("2026-02-04T23:59:59Z"));
  EXPECT_TRUE(listed("2026-02-05"));
}

TEST_F(PastSpec, RefusesWhatIsLongerThanItsLimit) {
  sources.most_events = 2;
  happened("2026-01-01", farm_registered());
  happened("2026-01-02", field_registered());
  happened("2026-01-03", crop_registered());
  EXPECT_TRUE(past("2026-01-02"));
  const auto refused = past("2026-01-03");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kAsOfLimitExceeded);
}

TEST_F(PastSpec, CountsWhatAllOwnersReadAgainstTheLimit) {
  sources.most_events = 1;
  happened("2026-01-01", farm_registered());
  EXPECT_TRUE(past("2026-01-01"));
  happened("2026-01-01", farm_registered(), "reference");
  EXPECT_FALSE(past("2026-01-01"));
}

TEST_F(PastSpec, IsTheSameWhereItDoesNotFitIntoMemory) {
  happened("2026-01-01", farm_registered());
  happened("2026-01-01", field_registered());
  happened("2026-01-01", crop_registered());
  happened("2026-01-01", block_registered());
  happened("2026-01-01", plant_registered());
  happened("2026-01-02", CropRemoved{kCrop.crop_id, on("2026-01-02")});
  for (const char* day : {"2026-01-01", "2026-01-02"}) {
    sources.changes_in_memory = 1'000'000;
    const auto in_memory = past(day);
    EXPECT_EQ(scratches, 0);
    sources.changes_in_memory = 1;
    const auto spilt = past(day);
    EXPECT_EQ(std::exchange(scratches, 0), 1);
    const auto one = in_memory->state->cursor(), other = spilt->state->cursor();
    for (one->seek(""), other->seek(""); one->valid() && other->valid();
         one->next(), other->next()) {
      EXPECT_EQ(one->key(), other->key());
      EXPECT_EQ(one->value(), other->value());
    }
    EXPECT_FALSE(one->valid() || other->valid());
  }
}

TEST_F(PastSpec, NamesAnEventThatItCannotRead) {
  happened("2026-01-01", farm_registered());
  auto poison = record("user_1", 1, field_registered(), "poison");
  poison.json = "{}";
  poison.envelope.type = "tilth.unknown.thing";
  append(log, std::move(poison));
  const auto refused = past("2026-03-01");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDamaged);
  EXPECT_NE(refused.error().message.find("poison"), std::string::npos);
}

TEST_F(PastSpec, PassesOverWhatOperatorsSkipped) {
  happened("2026-01-01", farm_registered());
  auto poison = record("user_1", versions["user_1"]++, field_registered(), "poison");
  poison.envelope.type = "tilth.unknown.thing";
  poison.envelope.time = on("2026-01-02");
  append(log, std::move(poison));
  happened("2026-01-03", field_registered());
  sources.orders = [] { return OperatorOverrides{.skipped = {{0, 1, "", "", {}}}}; };
  const auto view = past("2026-03-01");
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_TRUE(find(view->rows, kField));
}

TEST_F(PastSpec, EndsWhenNoOneWaitsForIt) {
  happened("2026-01-01", farm_registered());
  go_on = false;
  EXPECT_FALSE(past("2026-01-01"));
}

}  // namespace
}  // namespace tilth::testing
