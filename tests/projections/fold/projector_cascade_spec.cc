// What others see of a removal with a large cascade while it runs, and what it leaves.

#include <algorithm>
#include <string>
#include <string_view>

#include "projections/rows/row_keys.h"
#include "query/land/plant.h"
#include "tests/fixtures/failing_store.h"
#include "tests/fixtures/projector_fixture.h"

namespace tilth::testing {
namespace {

using namespace std::literals;

constexpr std::size_t kPlants = 2'500;
constexpr std::size_t kTasks = 150;

PlantPath plant_at(std::size_t number, const BlockPath& block = kBlock) {
  PlantPath at{block, kPlant.plant_id};
  at.plant_id.uuid.bytes[0] = static_cast<std::uint8_t>(number);
  at.plant_id.uuid.bytes[1] = static_cast<std::uint8_t>(number >> 8);
  return at;
}

// More rows than one commit can erase: tasks, which are taken out of lists that stay, and plants,
// which are hidden with their block.
class SweepingProjector : public ProjectorFixture {
 protected:
  SweepingProjector() {
    add(farm_registered(), field_registered(), crop_registered(), block_registered());
    for (std::size_t i = 0; i < kPlants; ++i) {
      add(plant_registered(plant_at(i), {.label = "P", .tag_id = std::to_string(i)}));
    }
    for (std::size_t i = 0; i < kTasks; ++i) {
      TaskPath at = kTask;
      at.task_id.uuid.bytes[0] = static_cast<std::uint8_t>(i);
      add(task_created(at));
    }
    happened("user_2", farm_registered());
    EXPECT_TRUE(begin());
    read_all();
  }

  // Also folds them into `expected`, each with its whole cascade at once.
  template <class... E>
  void add(const E&... events) {
    (fold(expected, "user_1", events), ...);
    happened("user_1", events...);
  }

  std::string last() const { return "user_1." + std::to_string(versions.at("user_1") - 1); }

  // Runs one step, into the middle of the newest removal's cascade.
  void begin_to_cascade() {
    ASSERT_TRUE(*projector->follow(kAtOnce));
    ASSERT_TRUE(projector->cascading("user_1"));
  }

  // Until all that is left of it is hidden.
  void begin_to_sweep() {
    ASSERT_TRUE(*projector->follow(kAtOnce));
    while (projector->cascading("user_1")) ASSERT_TRUE(*projector->follow(kAtOnce));
    ASSERT_FALSE(projector->no_cascade_pending());
  }

  std::uint64_t plants_seen() {
    const auto view = projector->view("user_1");
    const auto listed = run_query(view->rows, ListPlants{kBlock, {}}, {});
    return listed ? listed->total : 0;
  }

  std::size_t keys_kept(std::string_view prefix = "user_1\0"sv) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        store.kept(), [&](const auto& each) { return each.first.starts_with(prefix); }));
  }
  std::size_t rows_kept() const { return keys_kept("user_1\0r"sv); }

  // What readers see is what they would see if all was erased.
  void expect_to_see_what_is_expected() {
    const auto view = projector->view("user_1");
    const Rows now = projector->rows("user_1");
    const Rows as_expected(expected, "user_1", 0);
    std::size_t seen = 0;
    for (const auto& [key, value] : store.kept()) {
      const auto parts = row_key_parts(key);
      if (!parts || !key.starts_with("user_1\0"s)) continue;
      if (parts->kind != kRowKey) continue;
      const auto row = as_expected.find_bytes(parts->table, parts->of);
      for (const auto& rows : {view->rows, now}) {
        const auto found = rows.find_bytes(parts->table, parts->of);
        ASSERT_EQ(found.has_value(), row.has_value()) << parts->table;
        if (row) {
          ASSERT_EQ(found->bytes, row->bytes);
        }
        for (const auto* table : {"field", "block", "plant", "sale", "expense", "irrigation"}) {
          ASSERT_EQ(rows.count(table, parts->of), as_expected.count(table, parts->of));
        }
      }
      seen += row.has_value();
    }
    for (const auto* table : {"farm", "crop", "task"}) {
      ASSERT_EQ(view->rows.count(table, {}), as_expected.count(table, {}));
    }
    std::size_t all = 0;
    for (const auto& [key, value] : expected.changes()) all += row_key_parts(key)->kind == kRowKey;
    ASSERT_EQ(seen, all);
  }

  // The stream's rows are those of events whose cascades were erased at once.
  void expect_only_what_is_expected() {
    RowBatch::Changes rows;
    for (const auto& [key, value] : store.kept()) {
      if (key.starts_with("user_1\0"s) && key[7] != 'v') rows.emplace(key, value);
      EXPECT_FALSE(key.starts_with("\1cascade"));
    }
    EXPECT_TRUE(rows == expected.changes());
  }

  // The store equals that of a projector that was never interrupted.
  void expect_as_without_interruption() {
    read_all();
    expect_only_what_is_expected();
    const auto kept = store.kept();
    MemoryProjectionStore straight;
    ASSERT_TRUE(begin(straight));
    read_all();
    EXPECT_TRUE(kept == straight.kept());
  }

  template <class E>
  void expect_to_hide_at_once(const E& removal) {
    heard.clear();
    add(removal);
    ASSERT_TRUE(*projector->follow(kAtOnce));
    EXPECT_FALSE(projector->cascading("user_1"));
    EXPECT_EQ(heard, std::vector<std::string>{last()});
    EXPECT_TRUE(projector->view("user_1", position_of("user_1")));
    EXPECT_EQ(projector->progress().swept_streams, 1U);
    EXPECT_GT(rows_kept(), kPlants / 2);
    EXPECT_EQ(plants_seen(), 0U);
    const auto view = projector->view("user_1");
    EXPECT_FALSE(view->rows.find(plant_at(kPlants - 1).plant_id));
    EXPECT_FALSE(view->rows.find_unique<Plant>(kBlock.block_id.uuid, std::to_string(kPlants - 1)));
    EXPECT_EQ(view->rows.list<Plant>(kBlock.block_id.uuid, {}).total, 0U);
    expect_to_see_what_is_expected();
    expect_as_without_interruption();
  }

  RowBatch expected;
};

const FarmRemoved kFarmRemoved{kFarm.farm_id, kNow};
const FieldRemoved kFieldRemoved{kField.field_id, kNow};
const CropRemoved kCropRemoved{kCrop.crop_id, kNow};
const BlockRemoved kBlockRemoved{kBlock.block_id, kNow};

TEST_F(SweepingProjector, ShowsReadersTheStateBeforeUntilTheRestIsHidden) {
  add(kFarmRemoved);
  begin_to_cascade();
  heard.clear();
  int turns = 0;
  for (; projector->cascading("user_1"); ++turns) {
    EXPECT_EQ(plants_seen(), kPlants);
    EXPECT_FALSE(projector->view("user_1", position_of("user_1")));
    EXPECT_FALSE(projector->view({}, position_of("user_1"))) << "of all streams";
    EXPECT_TRUE(heard.empty()) << "its verdict is held back";
    ASSERT_TRUE(projector->follow(kAtOnce));
  }
  EXPECT_GT(turns, 2);
  EXPECT_EQ(heard, std::vector<std::string>{last()});
  EXPECT_TRUE(projector->view("user_1", position_of("user_1")));
  EXPECT_TRUE(projector->view({}, position_of("user_1")));
  EXPECT_GT(rows_kept(), kPlants / 2) << "the plants are swept later";
  expect_to_see_what_is_expected();
  read_all();
  expect_only_what_is_expected();
  EXPECT_EQ(projector->progress().swept_streams, 0U);
}

TEST_F(SweepingProjector, HidesAtOnceWhatLiesBelowABlock) { expect_to_hide_at_once(kBlockRemoved); }

TEST_F(SweepingProjector, HidesAtOnceWhatLiesBelowAField) { expect_to_hide_at_once(kFieldRemoved); }

TEST_F(SweepingProjector, HidesTheRowsThatACropTakesAlong) {
  heard.clear();
  add(kCropRemoved);
  begin_to_sweep();
  EXPECT_EQ(heard, std::vector<std::string>{last()});
  expect_to_see_what_is_expected();
  EXPECT_EQ(plants_seen(), 0U);
  expect_as_without_interruption();
}

// Another node's record came in between: nothing is reported before its rows can be read.
TEST_F(SweepingProjector, TellsOfNothingThatReadersDoNotSeeYet) {
  heard.clear();
  const FieldPath south{kFarm.farm_id, id<FieldId>('e')};
  add(field_registered(south));
  const auto first = last();
  const auto told = position_of("user_1");
  add(kFarmRemoved);
  begin_to_cascade();
  while (projector->cascading("user_1")) {
    EXPECT_TRUE(heard.empty() || projector->view("user_1", told));
    ASSERT_TRUE(projector->follow(kAtOnce));
  }
  EXPECT_EQ(heard, (std::vector<std::string>{first, last()}));
}

TEST_F(SweepingProjector, LetsOtherStreamsGoOnMeanwhile) {
  add(kFarmRemoved);
  begin_to_cascade();
  happened("user_2", field_registered());
  heard.clear();
  ASSERT_TRUE(projector->follow(kAtOnce));
  EXPECT_TRUE(projector->cascading("user_1"));
  EXPECT_EQ(heard, std::vector<std::string>{"user_2.1"});
  EXPECT_TRUE(find(projector->view("user_2", position_of("user_2"))->rows, kField));
}

TEST_F(SweepingProjector, SweepsLittleWhileThereIsSomethingToFold) {
  add(kBlockRemoved);
  begin_to_sweep();
  std::size_t followed = 0, pages_that_swept = 0;
  for (; !projector->no_cascade_pending(); ++followed) {
    happened("user_2", FarmAmended{{kFarm.farm_id, {.name = std::to_string(followed)}, kNow}});
    const auto before = keys_kept();
    heard.clear();
    ASSERT_TRUE(*projector->follow(kAtOnce));
    EXPECT_EQ(heard.size(), 1U);
    pages_that_swept += keys_kept() < before;
  }
  EXPECT_GT(pages_that_swept, 5U) << "it goes on all the same";
  EXPECT_GE(followed + 8, pages_that_swept * 8);
  expect_only_what_is_expected();
}

TEST_F(SweepingProjector, FoldsTheStreamsNextEventsWhileItSweeps) {
  const FarmPath other{id<FarmId>('f')};
  const FieldPath south{other.farm_id, id<FieldId>('e')};
  const BlockPath there{other.farm_id, south.field_id, id<BlockId>('9')};
  const CropPath figs{id<CropId>('8')};
  add(kFarmRemoved);
  begin_to_sweep();
  add(farm_registered(other, "Al Noor"));
  ASSERT_TRUE(*projector->follow(kAtOnce));
  ASSERT_FALSE(projector->no_cascade_pending());
  expect_to_see_what_is_expected();
  add(field_registered(south), crop_registered(figs, south), block_registered(there, figs),
      plant_registered({there, id<PlantId>('7')}),
      task_created({id<TaskId>('6')}, {.title = "T"}, other));
  ASSERT_TRUE(*projector->follow(kAtOnce));
  ASSERT_FALSE(projector->no_cascade_pending());
  expect_to_see_what_is_expected();
  add(PlantAmended{{plant_at(kPlants - 1).plant_id, {.label = "late"}, kNow}});  // it is gone
  ASSERT_TRUE(*projector->follow(kAtOnce));
  expect_to_see_what_is_expected();
  add(kFieldRemoved, BlockRemoved{there.block_id, kNow});
  ASSERT_TRUE(*projector->follow(kAtOnce));
  ASSERT_FALSE(projector->no_cascade_pending());
  expect_to_see_what_is_expected();
  expect_as_without_interruption();
}

TEST_F(SweepingProjector, TakesOnAnotherRemovalWhileItSweeps) {
  const BlockPath there{kFarm.farm_id, kField.field_id, id<BlockId>('9')};
  add(block_registered(there));
  for (std::size_t i = 0; i < kPlants; ++i) {
    add(plant_registered(plant_at(kPlants + i, there), {.label = "P"}));
  }
  read_all();
  add(kBlockRemoved);
  begin_to_sweep();
  add(BlockRemoved{there.block_id, kNow});
  ASSERT_TRUE(*projector->follow(kAtOnce));
  EXPECT_EQ(heard.back(), last());
  expect_to_see_what_is_expected();
  add(kFarmRemoved);
  ASSERT_TRUE(*projector->follow(kAtOnce));
  ASSERT_TRUE(projector->cascading("user_1"));
  EXPECT_TRUE(projector->view("user_1")->rows.find(kFarm.farm_id));
  EXPECT_FALSE(projector->view("user_1")->rows.find(plant_at(kPlants - 1).plant_id))
      << "the state before shows nothing of the first removal";
  ASSERT_TRUE(begin()) << "after a restart";
  expect_to_see_what_is_expected();
  expect_as_without_interruption();
}

// An operator let the projection skip the event that created their farm.
TEST_F(SweepingProjector, HidesNoRowsWhoseParentWasNeverThere) {
  const FarmPath never{id<FarmId>('f')};
  const FieldPath south{never.farm_id, id<FieldId>('e')};
  const BlockPath there{never.farm_id, south.field_id, id<BlockId>('9')};
  add(field_registered(south), block_registered(there), plant_registered(plant_at(1, there)));
  read_all();
  add(kFarmRemoved);
  begin_to_sweep();
  expect_to_see_what_is_expected();
  add(FieldAmended{{south.field_id, {.name = "South"}, kNow}});
  ASSERT_TRUE(*projector->follow(kAtOnce));
  ASSERT_FALSE(projector->no_cascade_pending());
  EXPECT_EQ(projector->view("user_1")->rows.find(south.field_id)->details.name, "South");
  expect_to_see_what_is_expected();
  expect_as_without_interruption();
}

// The ids of rows are never used again in service.
TEST_F(SweepingProjector, FinishesBeforeItFoldsARowWhoseIdHasLeftovers) {
  add(kFarmRemoved);
  begin_to_sweep();
  add(farm_registered(kFarm, "Again"), field_registered());
  while (heard.back() != last()) ASSERT_TRUE(*projector->follow(kAtOnce));
  EXPECT_TRUE(projector->no_cascade_pending());
  EXPECT_EQ(projector->view("user_1")->rows.find(kFarm.farm_id)->details.name, "Again");
  expect_to_see_what_is_expected();
  expect_as_without_interruption();
}

TEST_F(SweepingProjector, FinishesBeforeItFoldsAHiddenRowAgain) {
  const BlockPath there{kFarm.farm_id, kField.field_id, id<BlockId>('9')};
  add(kBlockRemoved);
  begin_to_sweep();
  add(block_registered(there), plant_registered(plant_at(kPlants - 1, there)));
  while (heard.back() != last()) ASSERT_TRUE(*projector->follow(kAtOnce));
  expect_to_see_what_is_expected();
  expect_as_without_interruption();
}

TEST_F(SweepingProjector, FinishesBeforeItFoldsTheStreamsNextRecord) {
  add(kFarmRemoved, farm_registered(kFarm, "Again"));
  begin_to_cascade();
  EXPECT_EQ(projector->view("user_1")->rows.find(kFarm.farm_id)->details.name, "Al Noor");
  read_all();
  EXPECT_EQ(heard.back(), last());
  EXPECT_EQ(projector->view("user_1")->rows.find(kFarm.farm_id)->details.name, "Again");
  EXPECT_EQ(plants_seen(), 0U);
  expect_only_what_is_expected();
}

TEST_F(SweepingProjector, FinishesAFarmAfterARestartInTheMiddle) {
  add(kFarmRemoved);
  begin_to_cascade();
  ASSERT_TRUE(begin());
  EXPECT_FALSE(projector->cascading("user_1"));
  EXPECT_EQ(projector->view("user_1")->rows.count<Farm>({}), 0U);
  expect_to_see_what_is_expected();
  add(farm_registered(kFarm, "Again"));
  expect_as_without_interruption();
}

TEST_F(SweepingProjector, HidesWhatIsLeftAfterARestartAtAnyTime) {
  add(kCropRemoved);
  begin_to_sweep();
  for (int restarts = 0; !projector->no_cascade_pending(); ++restarts) {
    ASSERT_LT(restarts, 1'000);
    ASSERT_TRUE(begin());
    expect_to_see_what_is_expected();
    for (int turns = 0; turns <= restarts; ++turns) ASSERT_TRUE(projector->follow(kAtOnce));
  }
  expect_as_without_interruption();
}

TEST_F(SweepingProjector, FinishesThoughItsStoreFailsNowAndThen) {
  FailingStore failing(store);
  ASSERT_TRUE(begin(failing));
  add(kFarmRemoved);
  failing.fail_all_but_every(2);
  heard.clear();
  int refused = 0;
  for (bool more = true; more;) {
    EXPECT_EQ(plants_seen(), heard.empty() ? kPlants : 0);
    const auto read = projector->follow(kAtOnce);
    if (!read) {
      ASSERT_LT(++refused, 1'000);
    }
    more = !read || *read;
  }
  EXPECT_GT(refused, 5);
  EXPECT_EQ(heard, std::vector<std::string>{last()});
  expect_as_without_interruption();
}

}  // namespace
}  // namespace tilth::testing
