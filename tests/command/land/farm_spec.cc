#include "command/land/farm.h"
#include "query/land/farm.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const FarmPath kNewFarm{id<FarmId>('9')};  // Spec::context.new_id
const FarmPath kOtherFarm{id<FarmId>('f')};
const FarmDetails<Own> kFarmDetails{.name = "Oasis", .total_area = Decimal(3)};
const FarmRemoved kFarmRemoved{kFarm.farm_id, kThen};

TEST(CreateFarm, Acts) {
  Spec()
      .when(Create<Farm>{{}, kFarmDetails})
      .then(FarmRegistered{{kNewFarm.farm_id, {}, kFarmDetails, kNow}});
}

TEST(CreateFarm, RefusesANameThatAnotherFarmHas) {
  given_farm()
      .when(Create<Farm>{{}, {.name = "Al Noor", .total_area = Decimal(1)}})
      .then_refused(ErrorCode::kConflict);
}

TEST(CreateFarm, ComparesNamesExactly) {
  for (const auto* name : {"al noor", "Al Noor ", "Al", "Al Noor\xCC\x81"}) {
    const FarmDetails<Own> details{.name = name, .total_area = Decimal(1)};
    given_farm()
        .when(Create<Farm>{{}, details})
        .then(FarmRegistered{{kNewFarm.farm_id, {}, details, kNow}});
  }
}

TEST(CreateFarm, MayTakeTheNameOfARemovedOrRenamedFarm) {
  const FarmDetails<Own> details{.name = "Al Noor", .total_area = Decimal(1)};
  given_farm()
      .given(kFarmRemoved)
      .when(Create<Farm>{{}, details})
      .then(FarmRegistered{{kNewFarm.farm_id, {}, details, kNow}});
  given_farm()
      .given(FarmAmended{kFarm.farm_id, {.name = {"Al Nur"}}, kThen})
      .when(Create<Farm>{{}, details})
      .then(FarmRegistered{{kNewFarm.farm_id, {}, details, kNow}});
}

TEST(CreateFarm, RefusesMoreThanThePlanAllowsAndSaysHowMany) {
  auto spec = given_farm().given(farm_registered(kOtherFarm, "Other"));
  spec.context.farm_limit = 2;
  spec.when(Create<Farm>{{}, kFarmDetails}).then_refused(ErrorCode::kPlanLimitExceeded);
  const Facts expected{{"limit", 2}, {"current", 2}};
  EXPECT_EQ(spec.refusal().facts, expected);
  spec.context.farm_limit = 3;
  spec.when(Create<Farm>{{}, kFarmDetails})
      .then(FarmRegistered{{kNewFarm.farm_id, {}, kFarmDetails, kNow}});
}

TEST(CreateFarm, CountsNoRemovedFarmAgainstThePlan) {
  auto spec = given_farm();
  spec.context.farm_limit = 1;
  spec.when(Create<Farm>{{}, kFarmDetails}).then_refused(ErrorCode::kPlanLimitExceeded);
  spec.given(kFarmRemoved)
      .when(Create<Farm>{{}, kFarmDetails})
      .then(FarmRegistered{{kNewFarm.farm_id, {}, kFarmDetails, kNow}});
}

TEST(CreateFarm, IsRefusedForThePlanBeforeTheName) {
  auto spec = given_farm();
  spec.context.farm_limit = 1;
  spec.when(Create<Farm>{{}, {.name = "Al Noor", .total_area = Decimal(1)}})
      .then_refused(ErrorCode::kPlanLimitExceeded);
}

TEST(UpdateFarm, ActsAlsoWhenItIsSoAlready) {
  const FarmDetails<Patch> changes{.name = {"Al Noor"}, .description = null<std::string>()};
  given_farm().when(Update<Farm>{kFarm, changes}).then(FarmAmended{kFarm.farm_id, changes, kNow});
}

TEST(UpdateFarm, StaysQuietWhenTheRequestCarriesNothing) {
  given_farm().when(Update<Farm>{kFarm, {}}).then_nothing();
}

TEST(UpdateFarm, RefusesAFarmThatIsNotThere) {
  Spec().when(Update<Farm>{kFarm, {}}).then_refused(ErrorCode::kNotFound);
  given_farm().when(Update<Farm>{kOtherFarm, {}}).then_refused(ErrorCode::kNotFound);
  given_farm()
      .given(kFarmRemoved)
      .when(Update<Farm>{kFarm, {.name = {"X"}}})
      .then_refused(ErrorCode::kNotFound);
}

TEST(UpdateFarm, RefusesANameThatAnotherFarmHas) {
  given_farm()
      .given(farm_registered(kOtherFarm, "Other"))
      .when(Update<Farm>{kOtherFarm, {.name = {"Al Noor"}}})
      .then_refused(ErrorCode::kConflict);
}

TEST(UpdateFarm, NeedsIfMatchToHoldBeforeItLooksAtTheName) {
  auto spec = given_farm().given(farm_registered(kOtherFarm, "Other"));
  const Update<Farm> taken{kOtherFarm, {.name = {"Al Noor"}}};
  spec.if_match("\"old\"").when(taken).then_refused(ErrorCode::kPreconditionFailed);
  spec.when(Update<Farm>{kOtherFarm, {}}).then_refused(ErrorCode::kPreconditionFailed);
  spec.when(Update<Farm>{kNewFarm, {}}).then_refused(ErrorCode::kNotFound);
  spec.if_match(tag_of(*spec.rows().find(kOtherFarm.farm_id))).when(taken);
  spec.then_refused(ErrorCode::kConflict);
  spec.if_match("*").when(Update<Farm>{kOtherFarm, {}}).then_nothing();
}

TEST(UpdateFarm, MakesIfMatchCompareStrongly) {
  auto spec = given_farm();
  const auto tag = tag_of(*spec.rows().find(kFarm.farm_id));
  spec.if_match("W/" + tag).when(Update<Farm>{kFarm, {}});
  spec.then_refused(ErrorCode::kPreconditionFailed);
  spec.if_match("\"a\"");
  spec.context.if_match->push_back(tag);
  spec.when(Update<Farm>{kFarm, {}}).then_nothing();
}

TEST(DeleteFarm, HappensOnce) {
  given_farm().when(Delete<Farm>{kFarm}).then(FarmRemoved{kFarm.farm_id, kNow});
  given_farm().given(kFarmRemoved).when(Delete<Farm>{kFarm}).then_refused(ErrorCode::kNotFound);
  given_farm()
      .if_match("\"old\"")
      .when(Delete<Farm>{kFarm})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeleteFarm, LeavesNothingOfWhatLayOnIt) {
  auto spec = given_plant();
  const FieldPath south{kFarm.farm_id, id<FieldId>('e')};
  spec.given(field_registered(south, "South"), crop_registered({id<CropId>('e')}, south));
  spec.given(kFarmRemoved);
  EXPECT_TRUE(spec.kept().empty());
}

TEST(DeleteFarm, LeavesOtherFarmsAlone) {
  const FieldPath field{kOtherFarm.farm_id, id<FieldId>('e')};
  const BlockPath block{kOtherFarm.farm_id, field.field_id, id<BlockId>('e')};
  const CropPath crop{id<CropId>('e')};
  const auto other = [&](Spec spec) {
    return spec.given(farm_registered(kOtherFarm, "Other"), field_registered(field),
                      crop_registered(crop, field), block_registered(block, crop),
                      plant_registered({block, id<PlantId>('e')}));
  };
  EXPECT_EQ(other(given_plant()).given(kFarmRemoved).kept(), other(Spec()).kept());
}

TEST(FarmRows, FollowAmendmentsAndKeepTheirBirthday) {
  auto spec = given_farm();
  spec.given(FarmAmended{kFarm.farm_id,
                         {.name = {"Oasis"},
                          .country = {Country{"Egypt"}},
                          .timezone = {TimeZone{"Africa/Cairo"}},
                          .status = {FarmStatus::kDraft}},
                         kNow});
  const auto farm = *spec.rows().find(kFarm.farm_id);
  EXPECT_EQ(farm.details.name, "Oasis");
  EXPECT_EQ(farm.details.country->name, "Egypt");
  EXPECT_EQ(farm.details.farm_type, "commercial");
  EXPECT_EQ(farm.created_at, kThen);
  EXPECT_EQ(farm.updated_at, kNow);
  const auto listed = run_query(spec.rows(), ListFarms{{}, FarmStatus::kDraft}, {});
  EXPECT_EQ(listed->total, 1U);
  EXPECT_EQ(run_query(spec.rows(), ListFarms{{}, FarmStatus::kActive}, {})->total, 0U);
}

TEST(FarmRows, IgnoreEventsOfFarmsThatAreNotThere) {
  Spec spec;
  spec.given(FarmAmended{kFarm.farm_id, {.name = {"X"}}, kNow}, kFarmRemoved);
  EXPECT_TRUE(spec.kept().empty());
}

}  // namespace
}  // namespace tilth::testing
