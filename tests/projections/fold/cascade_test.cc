#include "projections/fold/cascade.h"

#include <algorithm>

#include "projections/work/task_template.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

Uuid numbered(int number) {
  Uuid uuid = id<Uuid>('0');
  uuid.bytes[6] = static_cast<std::uint8_t>(number >> 16);
  uuid.bytes[7] = static_cast<std::uint8_t>(number >> 8);
  uuid.bytes[8] = static_cast<std::uint8_t>(number);
  return uuid;
}

// The data of removals: a farm of `fields` fields, each with three crops of two blocks, `plants`
// plants in each block, a few tasks and templates on it, and an entry of each kind on each; and
// another farm, which must not be touched.
std::unique_ptr<const RowReader> land(int fields, int plants, bool with_the_farm = true) {
  auto kept = std::make_unique<RowBatch>();
  RowBatch& store = *kept;
  int number = 0, entries = 5'000'000;
  const auto farm_of = [&](const FarmPath& farm, int its_fields) {
    fold(store, "user_1", farm_registered(farm, farm.farm_id.text()));
    const auto entry = [&]<class Recorded>(Recorded recorded) {
      recorded.id.uuid = numbered(++entries);
      fold(store, "user_1", recorded);
    };
    const OnFarm on_farm{farm.farm_id};
    entry(ExpenseRecorded{{{}, on_farm, {}, kThen}});
    entry(OverheadRecorded{{{}, on_farm, {}, kThen}});
    entry(PriceReported{{{}, on_farm, {.crop_name = "Dates"}, kThen}, {}});
    for (int f = 0; f < its_fields; ++f) {
      const FieldPath field{farm.farm_id, {numbered(++number)}};
      fold(store, "user_1", field_registered(field));
      entry(IrrigationRecorded{{{}, {farm.farm_id, field.field_id}, {}, kThen}});
      entry(SoilSampleRecorded{{{}, {farm.farm_id, field.field_id}, {.ph = Decimal(7)}, kThen}});
      entry(ExpenseRecorded{{{}, on_farm, {.field_id = field.field_id}, kThen}});
      for (int c = 0; c < 3; ++c) {
        const CropPath crop{{numbered(++number)}};
        fold(store, "user_1", crop_registered(crop, field));
        entry(SaleRecorded{{{}, {crop.crop_id, farm.farm_id}, {}, kThen}, {}});
        entry(ExpenseRecorded{{{}, on_farm, {.crop_id = crop.crop_id}, kThen}});
        for (int b = 0; b < 2; ++b) {
          const BlockPath block{farm.farm_id, field.field_id, {numbered(++number)}};
          fold(store, "user_1", block_registered(block, crop));
          const OnBlock on_block{farm.farm_id, field.field_id, block.block_id};
          entry(FertigationRecorded{{{}, on_block, {}, kThen}});
          entry(LeafSampleRecorded{{{}, on_block, {}, kThen}});
          for (int p = 0; p < plants; ++p) {
            fold(store, "user_1",
                 plant_registered({block, {numbered(++number)}},
                                  {.label = "P", .tag_id = std::to_string(p)}));
          }
        }
      }
    }
    for (int t = 0; t < 4; ++t) {
      TaskDetails<Own> task{.title = "T", .assigned_to = "Omar"};
      if (t > 0) task.due_date = Timestamp{kThen.at + std::chrono::days(t - 2)};
      fold(store, "user_1", task_created({{numbered(++number)}}, task, farm));
      const TaskTemplateDetails<Own> of_farm{.name = "T", .farm_id = farm.farm_id};
      fold(store, "user_1",
           TaskTemplateCreated{{{numbered(++number)}, {}, of_farm, kThen}, "user_1"});
    }
  };
  farm_of({id<FarmId>('f')}, 1);
  number = 1'000'000;
  if (with_the_farm) farm_of(kFarm, fields);
  return kept;
}

RowBatch::Changes contents(const RowReader& store) {
  RowBatch::Changes all;
  const auto cursor = store.cursor();
  for (cursor->seek(""); cursor->valid(); cursor->next()) {
    all.emplace(cursor->key(), std::string(cursor->value()));
  }
  return all;
}

// Folds the removal itself; returns its cascade for the test to run.
template <class E>
std::vector<CascadeStep> remove(RowStore& store, const E& event) {
  MutableRows rows(store, "user_1", 0);
  evolve(rows, event);
  return rows.cascade();
}

const FarmRemoved kFarmRemoved{kFarm.farm_id, kNow};
const CropRemoved kCropRemoved{{{numbered(1'000'002)}, kNow}};  // of the farm's first field

template <class E>
RowBatch::Changes after(const RowReader& base, const E& event) {
  RowBatch store(base);
  Cascade cascade(remove(store, event));
  MutableRows rows(store, "user_1", 0);
  EXPECT_TRUE(cascade.advance(rows, kAll));
  return contents(store);
}

TEST(Cascade, LeavesNothingWhateverItsBudget) {
  const auto base = land(2, 9);
  const auto left = contents(*land(0, 9, false));
  for (const std::size_t budget : {1, 2, 3, 5, 8, 13, 50, 1'000}) {
    RowBatch store(*base);
    Cascade cascade(remove(store, kFarmRemoved));
    MutableRows rows(store, "user_1", 0);
    std::size_t advances = 1;
    while (!cascade.advance(rows, budget)) ASSERT_LT(++advances, 100'000U);
    EXPECT_TRUE(contents(store) == left) << "with a budget of " << budget;
    if (budget == 1) {
      EXPECT_GT(advances, 200U) << "one at a time";
    }
  }
}

TEST(Cascade, OfACropLeavesNothingWhateverItsBudget) {
  const auto base = land(2, 30);
  const auto left = after(*base, kCropRemoved);
  EXPECT_LT(left.size() + 100, contents(*base).size());
  for (const std::size_t budget : {1, 2, 3, 7, 40}) {
    RowBatch store(*base);
    Cascade cascade(remove(store, kCropRemoved));
    MutableRows rows(store, "user_1", 0);
    while (!cascade.advance(rows, budget)) {
    }
    EXPECT_TRUE(contents(store) == left) << "with a budget of " << budget;
  }
}

// A crash may come after any commit: the store then has the first steps and their effects.
template <class E>
void expect_to_survive_crashes(const RowReader& base, const E& event, std::size_t budget) {
  const auto left = after(base, event);
  bool finished = false;
  for (int crash_after = 0; !finished; ++crash_after) {
    RowBatch store(base);
    const auto kept = Cascade::encode(remove(store, event));
    MutableRows rows(store, "user_1", 0);
    Cascade first(Cascade::decode(kept));
    for (int i = 0; i < crash_after && !finished; ++i) finished = first.advance(rows, budget);
    Cascade again(Cascade::decode(kept));
    while (!again.advance(rows, budget)) {
    }
    ASSERT_TRUE(contents(store) == left) << "crashed after " << crash_after;
  }
}

TEST(Cascade, OfAFarmBegunAgainAfterACrashLeavesNothing) {
  expect_to_survive_crashes(*land(2, 5), kFarmRemoved, 3);
}

TEST(Cascade, OfAFieldBegunAgainAfterACrashLeavesNothing) {
  expect_to_survive_crashes(*land(2, 5), FieldRemoved{{{numbered(1'000'001)}, kNow}}, 2);
}

TEST(Cascade, OfACropBegunAgainAfterACrashLeavesNothing) {
  expect_to_survive_crashes(*land(2, 5), kCropRemoved, 2);
}

TEST(Cascade, OfABlockBegunAgainAfterACrashLeavesNothing) {
  expect_to_survive_crashes(*land(1, 20), BlockRemoved{{{numbered(1'000'003)}, kNow}}, 2);
}

TEST(Cascade, NeverTouchesMuchMoreThanItsBudget) {
  const auto base = land(3, 30);
  for (const std::size_t budget : {1, 10, 100}) {
    RowBatch store(*base);
    Cascade cascade(remove(store, kFarmRemoved));
    for (bool finished = false; !finished;) {
      RowBatch batch(static_cast<const RowReader&>(store));
      MutableRows rows(batch, "user_1", 0);
      finished = cascade.advance(rows, budget);
      // A plant or a key is one change; a crop is also removed from its lists, which remain.
      ASSERT_LE(batch.changes().size(), budget * 150);
      for (const auto& [key, value] : batch.changes()) {
        value ? store.put(key, *value) : store.erase(key);
      }
    }
  }
}

TEST(Cascade, OfPlantsTouchesNoMoreThanItsBudget) {
  const auto base = land(1, 1'500);
  RowBatch store(*base);
  Cascade cascade(remove(store, BlockRemoved{{{numbered(1'000'003)}, kNow}}));
  int advances = 0;
  for (bool finished = false; !finished; ++advances) {
    RowBatch batch(static_cast<const RowReader&>(store));
    MutableRows rows(batch, "user_1", 0);
    finished = cascade.advance(rows, 100);
    ASSERT_LE(batch.changes().size(), 100U);
    for (const auto& [key, value] : batch.changes()) {
      value ? store.put(key, *value) : store.erase(key);
    }
  }
  EXPECT_GT(advances, 60);
  EXPECT_TRUE(contents(store) == after(*base, BlockRemoved{{{numbered(1'000'003)}, kNow}}));
}

TEST(Cascade, StepsSurviveTheStore) {
  using Kind = CascadeStep::Kind;
  const std::vector<CascadeStep> steps{
      {Kind::kChildren, "block", id<Uuid>('1'), Block::kCropFilter, id<Uuid>('2')},
      {Kind::kLists, "plant", id<Uuid>('3')},
      {Kind::kChildren, "field", id<Uuid>('4')}};
  const auto again = Cascade::decode(Cascade::encode(steps));
  ASSERT_EQ(again.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(again[i].kind, steps[i].kind);
    EXPECT_EQ(again[i].filter, steps[i].filter);
    EXPECT_EQ(again[i].of, steps[i].of);
    EXPECT_EQ(again[i].under, steps[i].under);
    EXPECT_EQ(again[i].table, steps[i].table);
  }
}

}  // namespace
}  // namespace tilth::testing
