// What others see of a removal with a large cascade while it runs.

#include "query/land/plant.h"
#include "tests/fixtures/failing_store.h"
#include "tests/fixtures/projector_fixture.h"

namespace tilth::testing {
namespace {

constexpr std::size_t kPlants = 2'500;

// More rows than one commit can erase.
class SweepingProjector : public ProjectorFixture {
 protected:
  SweepingProjector() {
    happened("user_1", farm_registered(), field_registered(), crop_registered(),
             block_registered());
    for (std::size_t i = 0; i < kPlants; ++i) {
      PlantPath at = kPlant;
      at.plant_id.uuid.bytes[0] = static_cast<std::uint8_t>(i);
      at.plant_id.uuid.bytes[1] = static_cast<std::uint8_t>(i >> 8);
      happened("user_1", plant_registered(at, {.label = "P", .tag_id = std::to_string(i)}));
    }
    happened("user_2", farm_registered());
    EXPECT_TRUE(begin());
    read_all();
  }

  // Runs one step, into the middle of the newest removal's cascade.
  void begin_to_sweep() {
    ASSERT_TRUE(*projector->follow(kAtOnce));
    ASSERT_TRUE(projector->cascading("user_1"));
  }

  std::uint64_t plants_seen() {
    const auto view = projector->view("user_1");
    const auto listed = run_query(view->rows, ListPlants{kBlock, {}}, {});
    return listed ? listed->total : 0;
  }

  // The store equals that of a projector that was never interrupted.
  void expect_as_without_interruption() {
    const auto kept = store.kept();
    MemoryProjectionStore straight;
    ASSERT_TRUE(begin(straight));
    read_all();
    EXPECT_TRUE(kept == straight.kept());
  }
};

TEST_F(SweepingProjector, ShowsReadersTheStateBeforeUntilAllIsGone) {
  happened("user_1", FarmRemoved{kFarm.farm_id, kNow});
  begin_to_sweep();
  heard.clear();
  int turns = 0;
  for (; projector->cascading("user_1"); ++turns) {
    EXPECT_EQ(plants_seen(), kPlants);
    EXPECT_FALSE(projector->view("user_1", position_of("user_1")));
    EXPECT_TRUE(heard.empty()) << "its verdict is held back";
    ASSERT_TRUE(projector->follow(kAtOnce));
  }
  EXPECT_GT(turns, 5);
  EXPECT_EQ(heard, std::vector<std::string>{"user_1.2504"});
  EXPECT_TRUE(projector->view("user_1", position_of("user_1")));
  EXPECT_EQ(projector->view("user_1")->rows.count<Farm>({}), 0U);
  for (const auto& [key, value] : store.kept()) {
    if (key.starts_with("user_1")) {
      EXPECT_EQ(key[7], 'v') << "only the version is left";
    }
  }
}

// Another node's record came in between: nothing is reported before its rows can be read.
TEST_F(SweepingProjector, TellsOfNothingThatReadersDoNotSeeYet) {
  heard.clear();
  const FieldPath south{kFarm.farm_id, id<FieldId>('e')};
  happened("user_1", field_registered(south));
  const auto told = position_of("user_1");
  happened("user_1", FarmRemoved{kFarm.farm_id, kNow});
  begin_to_sweep();
  while (projector->cascading("user_1")) {
    EXPECT_TRUE(heard.empty() || projector->view("user_1", told));
    ASSERT_TRUE(projector->follow(kAtOnce));
  }
  EXPECT_EQ(heard, (std::vector<std::string>{"user_1.2504", "user_1.2505"}));
}

TEST_F(SweepingProjector, LetsOtherStreamsGoOnMeanwhile) {
  happened("user_1", FarmRemoved{kFarm.farm_id, kNow});
  begin_to_sweep();
  happened("user_2", field_registered());
  heard.clear();
  ASSERT_TRUE(projector->follow(kAtOnce));
  EXPECT_TRUE(projector->cascading("user_1"));
  EXPECT_EQ(heard, std::vector<std::string>{"user_2.1"});
  EXPECT_TRUE(find(projector->view("user_2", position_of("user_2"))->rows, kField));
}

TEST_F(SweepingProjector, FinishesBeforeItFoldsTheStreamsNextRecord) {
  happened("user_1", FarmRemoved{kFarm.farm_id, kNow}, farm_registered(kFarm, "Again"));
  begin_to_sweep();
  EXPECT_EQ(projector->view("user_1")->rows.find(kFarm.farm_id)->details.name, "Al Noor");
  read_all();
  EXPECT_EQ(heard[heard.size() - 2], "user_1.2504");
  EXPECT_EQ(heard.back(), "user_1.2505");
  EXPECT_EQ(projector->view("user_1")->rows.find(kFarm.farm_id)->details.name, "Again");
  EXPECT_EQ(plants_seen(), 0U);
}

TEST_F(SweepingProjector, FinishesAFarmAfterARestartInTheMiddle) {
  happened("user_1", FarmRemoved{kFarm.farm_id, kNow}, farm_registered(kFarm, "Again"));
  begin_to_sweep();
  ASSERT_TRUE(begin());
  EXPECT_FALSE(projector->cascading("user_1"));
  EXPECT_EQ(projector->view("user_1")->rows.count<Farm>({}), 0U);
  read_all();
  expect_as_without_interruption();
}

TEST_F(SweepingProjector, FinishesACropAfterARestartInTheMiddle) {
  happened("user_1", CropRemoved{kCrop.crop_id, kNow});
  begin_to_sweep();
  ASSERT_TRUE(begin());
  EXPECT_EQ(plants_seen(), 0U);
  expect_as_without_interruption();
}

TEST_F(SweepingProjector, FinishesThoughItsStoreFailsNowAndThen) {
  FailingStore failing(store);
  ASSERT_TRUE(begin(failing));
  happened("user_1", CropRemoved{kCrop.crop_id, kNow});
  failing.fail_all_but_every(2);
  heard.clear();
  int refused = 0;
  for (bool more = true; more;) {
    EXPECT_TRUE(plants_seen() == kPlants || !heard.empty());
    const auto read = projector->follow(kAtOnce);
    if (!read) {
      ASSERT_LT(++refused, 1'000);
    }
    more = !read || *read;
  }
  EXPECT_GT(refused, 5);
  EXPECT_EQ(heard, std::vector<std::string>{"user_1.2504"});
  expect_as_without_interruption();
}

}  // namespace
}  // namespace tilth::testing
