#include "command/land/crop.h"
#include "query/land/crop.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const auto kNewCrop = id<CropId>('9');  // Spec::context.new_id
const CropPath kOtherCrop{id<CropId>('e')};
const CropDetails<Own> kCropDetails{.crop_type = "Wheat"};
const CropRemoved kCropRemoved{kCrop.crop_id, kThen};

Date date(std::string_view text) { return parsed<Date>(text); }

CreateCrop on_the_field(const CropDetails<Own>& details) {
  return {{}, kField.farm_id, kField.field_id, details};
}

CropRegistered registered(const CropDetails<Own>& details) {
  return {kNewCrop, kField.farm_id, kField.field_id, details, kNow};
}

// kNow is 06:30 UTC on the 1st of March; in Honolulu it is still February.
Spec given_crop_in(const char* zone) {
  return given_crop().given(FarmAmended{kFarm.farm_id, {.timezone = {TimeZone{zone}}}, kThen});
}

TEST(CreateCrop, Acts) {
  given_field().when(on_the_field(kCropDetails)).then(registered(kCropDetails));
}

TEST(CreateCrop, NeedsThatFarmAndThatFieldOnIt) {
  Spec().when(on_the_field(kCropDetails)).then_refused(ErrorCode::kNotFound);
  given_farm().when(on_the_field(kCropDetails)).then_refused(ErrorCode::kNotFound);
  const auto other = id<FarmId>('f');
  given_field()
      .given(farm_registered({other}, "Other"))
      .when(CreateCrop{{}, other, kField.field_id, kCropDetails})
      .then_refused(ErrorCode::kNotFound);
}

TEST(CreateCrop, NeedsACropOfTheLibrary) {
  given_field()
      .when(on_the_field({.crop_type = "Wheat", .admin_crop_id = id<AdminCropId>('1')}))
      .then_refused(ErrorCode::kNotFound);
  given_field()
      .when(on_the_field({.crop_type = "Wheat", .variety_id = id<VarietyId>('1')}))
      .then_refused(ErrorCode::kNotFound);
}

TEST(CreateCrop, ThatIsHarvestedWasHarvestedTodayWhereTheFarmIs) {
  const std::pair<const char*, const char*> zones[] = {{"UTC", "2026-03-01"},
                                                       {"Pacific/Honolulu", "2026-02-28"},
                                                       {"Pacific/Kiritimati", "2026-03-01"}};
  for (const auto& [zone, today] : zones) {
    given_crop_in(zone)
        .when(on_the_field({.crop_type = "Wheat", .status = CropStatus::kHarvested}))
        .then(registered({.crop_type = "Wheat",
                          .actual_harvest_date = date(today),
                          .status = CropStatus::kHarvested}));
  }
  const CropDetails<Own> told{.crop_type = "Wheat",
                              .actual_harvest_date = date("2026-01-05"),
                              .status = CropStatus::kHarvested};
  given_field().when(on_the_field(told)).then(registered(told));
}

TEST(CreateCrop, IsNotExpectedBeforeItIsPlanted) {
  CreateCrop command = on_the_field({.crop_type = "Wheat",
                                     .planting_date = date("2026-03-02"),
                                     .expected_harvest_date = date("2026-03-01")});
  Issues issues;
  command.check(issues);
  EXPECT_EQ(issues.size(), 1U);
  EXPECT_TRUE(issues.contains("expectedHarvestDate"));
  issues.clear();
  command.details.expected_harvest_date = date("2026-03-02");
  command.check(issues);
  EXPECT_TRUE(issues.empty());
}

TEST(UpdateCrop, ActsAlsoWhenItIsSoAlready) {
  const CropDetails<Patch> changes{.crop_type = {"Dates"}, .notes = null<std::string>()};
  given_crop().when(Update<Crop>{kCrop, changes}).then(CropAmended{kCrop.crop_id, changes, kNow});
}

TEST(UpdateCrop, StaysQuietWhenTheRequestCarriesNothing) {
  given_crop().when(Update<Crop>{kCrop, {}}).then_nothing();
}

TEST(UpdateCrop, NeedsThatCrop) {
  given_crop().when(Update<Crop>{kOtherCrop, {}}).then_refused(ErrorCode::kNotFound);
  given_crop().given(kCropRemoved).when(Update<Crop>{kCrop, {}}).then_refused(ErrorCode::kNotFound);
}

TEST(UpdateCrop, IsNotExpectedBeforeItWasPlanted) {
  auto spec = given_crop().given(
      CropAmended{kCrop.crop_id, {.planting_date = {date("2026-03-02")}}, kThen});
  spec.if_match("\"old\"")
      .when(Update<Crop>{kCrop, {.expected_harvest_date = {date("2026-03-01")}}})
      .then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(spec.refusal().issues.contains("expectedHarvestDate"));
  spec.if_match("*");
  const CropDetails<Patch> both{.planting_date = null<Date>(),
                                .expected_harvest_date = {date("2026-03-01")}};
  spec.when(Update<Crop>{kCrop, both}).then(CropAmended{kCrop.crop_id, both, kNow});
}

TEST(UpdateCrop, FindsBothDatesOfOneRequestAmiss) {
  const Update<Crop> command{
      kCrop,
      {.planting_date = {date("2026-03-02")}, .expected_harvest_date = {date("2026-03-01")}}};
  Issues issues;
  command.check(issues);
  EXPECT_TRUE(issues.contains("expectedHarvestDate"));
}

TEST(UpdateCrop, ClearsTheVarietyWithTheLibraryCrop) {
  given_crop()
      .when(Update<Crop>{kCrop, {.admin_crop_id = null<AdminCropId>()}})
      .then(CropAmended{kCrop.crop_id,
                        {.admin_crop_id = null<AdminCropId>(), .variety_id = null<VarietyId>()},
                        kNow});
}

TEST(UpdateCrop, ThatBecomesHarvestedWasHarvestedTodayWhereTheFarmIs) {
  given_crop_in("Pacific/Honolulu")
      .when(Update<Crop>{kCrop, {.status = {CropStatus::kHarvested}}})
      .then(CropAmended{
          kCrop.crop_id,
          {.actual_harvest_date = {date("2026-02-28")}, .status = {CropStatus::kHarvested}},
          kNow});
}

TEST(UpdateCrop, ThatIsHarvestedGetsNoDateByAnotherChange) {
  const CropDetails<Patch> noted{.notes = {"Good year."}};
  const CropDetails<Patch> said_again{.status = {CropStatus::kHarvested}};
  const CropDetails<Patch> cleared{.actual_harvest_date = null<Date>()};
  auto spec = given_crop().given(
      CropAmended{kCrop.crop_id,
                  {.actual_harvest_date = {date("2026-01-05")}, .status = {CropStatus::kHarvested}},
                  kThen},
      CropAmended{kCrop.crop_id, cleared, kThen});
  for (const auto& changes : {noted, said_again, cleared}) {
    spec.when(Update<Crop>{kCrop, changes}).then(CropAmended{kCrop.crop_id, changes, kNow});
  }
}

TEST(MoveCrop, Acts) {
  given_crop()
      .when(MoveCrop{kCrop, CropStatus::kGrowing, {}, {}})
      .then(CropAmended{kCrop.crop_id, {.status = {CropStatus::kGrowing}}, kNow});
}

TEST(MoveCrop, IntoTheHarvestSetsTheDateOnlyWhereThereIsNone) {
  const MoveCrop harvested{kCrop, CropStatus::kHarvested, {}, {Decimal(5)}};
  given_crop_in("Pacific/Honolulu")
      .when(harvested)
      .then(CropAmended{kCrop.crop_id,
                        {.actual_harvest_date = {date("2026-02-28")},
                         .actual_yield = {Decimal(5)},
                         .status = {CropStatus::kHarvested}},
                        kNow});
  given_crop()
      .when(MoveCrop{kCrop, CropStatus::kHarvested, {date("2026-01-05")}, {}})
      .then(CropAmended{
          kCrop.crop_id,
          {.actual_harvest_date = {date("2026-01-05")}, .status = {CropStatus::kHarvested}},
          kNow});
  given_crop()
      .given(CropAmended{kCrop.crop_id, {.actual_harvest_date = {date("2026-01-05")}}, kThen})
      .when(harvested)
      .then(CropAmended{
          kCrop.crop_id, {.actual_yield = {Decimal(5)}, .status = {CropStatus::kHarvested}}, kNow});
}

TEST(MoveCrop, ThatStaysHarvestedOrLeavesItKeepsTheDate) {
  auto spec = given_crop().given(
      CropAmended{kCrop.crop_id,
                  {.actual_harvest_date = {date("2026-01-05")}, .status = {CropStatus::kHarvested}},
                  kThen});
  for (const auto status : {CropStatus::kHarvested, CropStatus::kFailed}) {
    spec.when(MoveCrop{kCrop, status, {}, {}})
        .then(CropAmended{kCrop.crop_id, {.status = {status}}, kNow});
  }
}

TEST(MoveCrop, NeedsThatCropAndIfMatchToHold) {
  Spec().when(MoveCrop{kCrop, {}, {}, {}}).then_refused(ErrorCode::kNotFound);
  given_crop()
      .if_match("\"old\"")
      .when(MoveCrop{kCrop, {}, {}, {}})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeleteCrop, HappensOnce) {
  given_crop().when(Delete<Crop>{kCrop}).then(CropRemoved{kCrop.crop_id, kNow});
  given_crop().given(kCropRemoved).when(Delete<Crop>{kCrop}).then_refused(ErrorCode::kNotFound);
}

TEST(DeleteCrop, TakesItsBlocksAndTheirPlantsButNotThoseOfOtherCrops) {
  const BlockPath block{kFarm.farm_id, kField.field_id, id<BlockId>('e')};
  const auto others = [&](Spec spec) {
    return spec.given(crop_registered(kOtherCrop), block_registered(block, kOtherCrop),
                      plant_registered({block, id<PlantId>('e')}));
  };
  EXPECT_EQ(others(given_plant()).given(kCropRemoved).kept(), others(given_field()).kept());
}

TEST(CropRows, AreFoundByTypeWithoutRegardToCase) {
  const auto spec = given_crop().given(crop_registered(kOtherCrop, kField, "WEIZENGRIESS"));
  const auto of_type = [&](const char* type) {
    return run_query(spec.rows(), ListCrops{{}, {}, {}, {}, type}, {})->total;
  };
  EXPECT_EQ(of_type("dATES"), 1U);
  EXPECT_EQ(of_type("Weizengrie\xC3\x9F"), 1U);
  EXPECT_EQ(of_type("Date"), 0U);
  EXPECT_EQ(of_type(""), 0U);
}

TEST(CropRows, AreListedBySeveralFiltersAtOnce) {
  const auto spec = given_crop().given(crop_registered(kOtherCrop));
  const auto with = [&](const ListCrops& query) {
    return run_query(spec.rows(), query, {})->total;
  };
  EXPECT_EQ(with({{}, kFarm.farm_id, kField.field_id, CropStatus::kPlanned, "dates"}), 2U);
  EXPECT_EQ(with({{}, kFarm.farm_id, kField.field_id, CropStatus::kGrowing, "dates"}), 0U);
  EXPECT_EQ(with({{}, id<FarmId>('f'), {}, {}, {}}), 0U);
}

}  // namespace
}  // namespace tilth::testing
