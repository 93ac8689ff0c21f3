// The simulation's judge of analytics can fail: it computes the example of docs/analytics.md
// itself.

#include "tests/simulation/plain_analytics.h"

#include <gtest/gtest.h>

#include "projections/land/plant.h"
#include "projections/work/task.h"
#include "tests/simulation/judged.h"

namespace tilth::testing {
namespace {

const auto kFarm = id<FarmId>('a');
const auto kField = id<FieldId>('b');
const auto kCrop = id<CropId>('c');
const auto kBlock = id<BlockId>('d');
const auto kPlant = id<PlantId>('e');
const auto kTask = id<TaskId>('8');

// An overdue task, two plants of which one is sick, and a field that is a little acid.
class PlainAnalytics : public ::testing::Test {
 protected:
  void SetUp() override {
    FieldDetails<Own> north{.name = "North", .area = Decimal(4)};
    north.soil_ph = parsed<Decimal>("5.5");
    TaskDetails<Own> task{.title = "Weed"};
    task.due_date = kThen;
    TaskCreated weeding{{kTask, {kFarm}, task, kNow}};
    weeding.created_by = Judged::kStream;
    const auto plant = [](const PlantId& id, PlantStatus status) {
      PlantDetails<Own> details{.label = "A"};
      details.status = status;
      return PlantRegistered{{id, {kFarm, kField, kBlock}, details, kNow}};
    };
    CropDetails<Own> dates{.crop_type = "Dates"};
    dates.area = Decimal(2);
    judged.both({FarmRegistered{{kFarm, {}, {.name = "Birch", .total_area = Decimal(10)}, kNow}},
                 FieldRegistered{{kField, {kFarm}, north, kNow}},
                 CropRegistered{{kCrop, {kFarm, kField}, dates, kNow}},
                 BlockRegistered{{kBlock, {kFarm, kField}, {.crop_id = kCrop}, kNow}},
                 plant(kPlant, PlantStatus::kAlive), plant(id<PlantId>('f'), PlantStatus::kSick),
                 weeding});
  }

  std::string wrong() const {
    return wrong_in_analytics(judged.rows(), judged.records(), nullptr, kNow);
  }

  Judged judged;
};

TEST_F(PlainAnalytics, FindNothingWhereTheRowsAreThoseOfTheRecords) { EXPECT_EQ(wrong(), ""); }

TEST_F(PlainAnalytics, NoticeAnotherScoreOfPlants) {
  PlantAmended died{{kPlant, {}, kNow}};
  died.changes.status.to = PlantStatus::kDead;
  judged.fold(died);
  EXPECT_EQ(wrong(), "the plantVitality of a farm is not 75");
}

TEST_F(PlainAnalytics, NoticeACropThatIsNotCounted) {
  CropAmended failed{{kCrop, {}, kNow}};
  failed.changes.status.to = CropStatus::kFailed;
  judged.fold(failed);
  EXPECT_EQ(wrong(), "the cropProgress of a farm is not ");
}

TEST_F(PlainAnalytics, NoticeAnotherReasonWhyNoYieldIsPredicted) {
  CropAmended measured{{kCrop, {}, kNow}};
  measured.changes.area.to.emplace();
  judged.fold(measured);
  EXPECT_EQ(wrong(), "another crop's yield is not predicted");
}

}  // namespace
}  // namespace tilth::testing
