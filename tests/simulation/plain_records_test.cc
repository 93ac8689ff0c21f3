// The simulation's judges can fail: rows that are not as the events say are noticed.

#include "tests/simulation/plain_records.h"

#include <vector>

#include <gtest/gtest.h>

#include "projections/integrations/webhook.h"
#include "projections/land/plant.h"
#include "projections/operations/soil_sample.h"
#include "projections/work/task.h"
#include "tests/fixtures/spec.h"
#include "tests/simulation/judged.h"

namespace tilth::testing {
namespace {

const auto kFarm = id<FarmId>('a');
const auto kField = id<FieldId>('b');
const auto kCrop = id<CropId>('c');
const auto kBlock = id<BlockId>('d');
const auto kPlant = id<PlantId>('e');

const FarmRegistered kFarmOfBirch{{kFarm, {}, {.name = "Birch", .total_area = Decimal(10)}, kNow}};
const FieldRegistered kNorth{{kField, {kFarm}, {.name = "North", .area = Decimal(4)}, kNow}};

TEST(PlainRecords, NoticeARowThatAnEventHasNotChanged) {
  Judged judged;
  judged.both({kFarmOfBirch});
  EXPECT_EQ(judged.check_last(), "");
  FarmAmended renamed{{kFarm, {}, kNow}};
  renamed.changes.name.to = "Oak";
  EXPECT_EQ(judged.take(renamed), "");
  EXPECT_EQ(judged.check_last(), R"(the name of a farm is "Birch", and "Oak" by its events)");
  judged.fold(renamed);
  EXPECT_EQ(judged.check_last(), "");
}

TEST(PlainRecords, NoticeWhatOutlivesItsField) {
  Judged judged;
  judged.both({kFarmOfBirch, kNorth, CropRegistered{{kCrop, {kFarm, kField}, {}, kNow}},
               BlockRegistered{{kBlock, {kFarm, kField}, {.crop_id = kCrop}, kNow}},
               PlantRegistered{{kPlant, {kFarm, kField, kBlock}, {}, kNow}}});
  EXPECT_EQ(judged.check(), "");
  const FieldRemoved gone{{kField, kNow}};
  EXPECT_EQ(judged.take(gone), "");
  EXPECT_NE(judged.check(), "");
  judged.fold(gone);
  EXPECT_EQ(judged.check(), "");
}

TEST(PlainRecords, NoticeARowThatIsMissing) {
  Judged judged;
  judged.both({kFarmOfBirch});
  EXPECT_EQ(judged.take(kNorth), "");
  EXPECT_EQ(judged.check(), "a field has no row");
}

TEST(PlainRecords, NoticeATaskOnAFieldOfAnotherFarm) {
  Judged judged;
  const FarmRegistered oak{{id<FarmId>('f'), {}, {.name = "Oak", .total_area = Decimal(1)}, kNow}};
  judged.both({kFarmOfBirch, kNorth, oak});
  TaskCreated task{{id<TaskId>('1'), {oak.id}, {}, kNow}};
  task.details.field_id = kField;
  task.created_by = Judged::kStream;
  EXPECT_EQ(judged.take(task), "a task is on a field of another farm");
}

TEST(PlainRecords, NoticeACompletionThatMovesTheFirst) {
  Judged judged;
  TaskCreated task{{id<TaskId>('1'), {kFarm}, {}, kNow}};
  task.created_by = Judged::kStream;
  TaskCompleted done{.task_id = task.id, .completed_date = kNow, .amended_at = kNow};
  judged.both({kFarmOfBirch, task, done});
  EXPECT_EQ(judged.check(), "");
  done.completed_date = kThen;
  EXPECT_EQ(judged.take(done), "a task is completed at another time");
}

TEST(PlainRecords, NoticeAnEventOfAnotherTimeThanItsRecord) {
  Judged judged;
  auto early = kFarmOfBirch;
  early.recorded_at = kThen;
  EXPECT_EQ(judged.take(early), "an event does not have the time of its record");
}

TEST(PlainRecords, NoticeAChangeOfWhatThereIsNot) {
  Judged judged;
  EXPECT_EQ(judged.take(FieldRemoved{{kField, kNow}}), "a field is removed that there is not");
}

TEST(PlainRecords, LetASoilSampleSetThePhOfItsField) {
  Judged judged;
  SoilSampleRecorded sample{{id<SoilSampleId>('2'), {kFarm, kField}, {.sampled_at = kThen}, kNow}};
  sample.details.ph = parsed<Decimal>("6.5");
  judged.both({kFarmOfBirch, kNorth, sample});
  EXPECT_EQ(judged.check(), "");
  auto older = sample;
  older.id = id<SoilSampleId>('3');
  older.details.sampled_at.at -= std::chrono::hours(1);
  older.details.ph = parsed<Decimal>("7");
  judged.both({older});
  EXPECT_EQ(judged.records().find({"field", kField.text()})->at("soilPh"), R"("6.5")");
  judged.both({SoilSampleRemoved{{sample.id, kNow}}});
  EXPECT_EQ(judged.records().find({"field", kField.text()})->at("soilPh"), R"("7")");
  EXPECT_EQ(judged.check(), "");
}

TEST(PlainRecords, NoticeASecretThatIsNotReplaced) {
  const auto hook = id<WebhookId>('f');
  Judged judged;
  judged.both({WebhookCreated{{hook, {}, {}, kNow}, id<WebhookSecretId>('1')}});
  EXPECT_EQ(judged.check(), "");
  const WebhookSecretRotated rotated{hook, id<WebhookSecretId>('2'), {}, kNow};
  EXPECT_EQ(judged.take(rotated), "");
  EXPECT_NE(judged.check_last(), "");
  judged.fold(rotated);
  EXPECT_EQ(judged.check_last(), "");
}

TEST(PlainRecords, NoticeAWebhookThatIsActiveThoughItWasDisabled) {
  const auto hook = id<WebhookId>('f');
  Judged judged;
  judged.both({WebhookCreated{{hook, {}, {}, kNow}, {}}});
  const WebhookDisabled disabled{hook, "410", kNow};
  EXPECT_EQ(judged.take(disabled), "");
  EXPECT_NE(judged.check_last(), "");
  judged.fold(disabled);
  EXPECT_EQ(judged.check_last(), "");
  WebhookAmended resumed{{hook, {}, kNow}, {}};
  resumed.changes.is_active.to = true;
  judged.both({resumed});
  EXPECT_EQ(judged.check(), "");
}

}  // namespace
}  // namespace tilth::testing
