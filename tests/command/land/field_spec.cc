#include "command/record.h"
#include "projections/land/field.h"
#include "query/land/field.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const FieldPath kNewField{kFarm.farm_id, id<FieldId>('9')};  // Spec::context.new_id
const FieldPath kElsewhere{id<FarmId>('f'), kField.field_id};
const FieldDetails<Own> kFieldDetails{.name = "South", .area = Decimal(2)};
const FieldRemoved kFieldRemoved{kField.field_id, kThen};

TEST(CreateField, Acts) {
  given_farm()
      .when(Create<Field>{kFarm, kFieldDetails})
      .then(FieldRegistered{kNewField.field_id, kFarm.farm_id, kFieldDetails, kNow});
}

TEST(CreateField, MayCarryTheNameOfAnother) {
  given_field()
      .when(Create<Field>{kFarm, {.name = "North", .area = Decimal(2)}})
      .then(FieldRegistered{
          kNewField.field_id, kFarm.farm_id, {.name = "North", .area = Decimal(2)}, kNow});
}

TEST(CreateField, NeedsThatFarm) {
  Spec().when(Create<Field>{kFarm, kFieldDetails}).then_refused(ErrorCode::kNotFound);
  given_farm()
      .given(FarmRemoved{kFarm.farm_id, kThen})
      .when(Create<Field>{kFarm, kFieldDetails})
      .then_refused(ErrorCode::kNotFound);
}

TEST(UpdateField, ActsAlsoWhenItIsSoAlready) {
  const FieldDetails<Patch> changes{.soil_ph = null<Decimal>(), .status = {FieldStatus::kActive}};
  given_field()
      .when(Update<Field>{kField, changes})
      .then(FieldAmended{kField.field_id, changes, kNow});
}

TEST(UpdateField, StaysQuietWhenTheRequestCarriesNothing) {
  given_field().when(Update<Field>{kField, {}}).then_nothing();
}

TEST(UpdateField, NeedsThatFieldOnThatFarm) {
  given_farm().when(Update<Field>{kField, {}}).then_refused(ErrorCode::kNotFound);
  given_field().when(Update<Field>{kElsewhere, {}}).then_refused(ErrorCode::kNotFound);
  given_field()
      .given(farm_registered({kElsewhere.farm_id}, "Other"))
      .when(Update<Field>{kElsewhere, {}})
      .then_refused(ErrorCode::kNotFound);
  given_field()
      .given(kFieldRemoved)
      .when(Update<Field>{kField, {}})
      .then_refused(ErrorCode::kNotFound);
}

TEST(UpdateField, NeedsIfMatchToHold) {
  auto spec = given_field();
  const auto before = tag_of(*spec.rows().find(kField.field_id));
  spec.if_match(before).when(Update<Field>{kField, {}}).then_nothing();
  spec.given(FieldAmended{kField.field_id, {.status = {FieldStatus::kActive}}, kNow});
  spec.when(Update<Field>{kField, {}}).then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeleteField, HappensOnce) {
  given_field().when(Delete<Field>{kField}).then(FieldRemoved{kField.field_id, kNow});
  given_field().when(Delete<Field>{kElsewhere}).then_refused(ErrorCode::kNotFound);
  given_field().given(kFieldRemoved).when(Delete<Field>{kField}).then_refused(ErrorCode::kNotFound);
  given_field()
      .if_match("\"old\"")
      .when(Delete<Field>{kField})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeleteField, LeavesNothingOfWhatGrewOnIt) {
  EXPECT_EQ(given_plant().given(kFieldRemoved).kept(), given_farm().kept());
}

TEST(DeleteField, LeavesTheCropsOfOtherFieldsAlone) {
  const FieldPath south{kFarm.farm_id, id<FieldId>('e')};
  const auto others = [&](Spec spec) {
    return spec.given(field_registered(south, "South"), crop_registered({id<CropId>('e')}, south));
  };
  EXPECT_EQ(others(given_plant()).given(kFieldRemoved).kept(), others(given_farm()).kept());
}

TEST(FieldRows, MoveBetweenListsAsTheyAreAmended) {
  auto spec = given_field();
  const auto with = [&](FieldStatus status) {
    return run_query(spec.rows(), ListFields{kFarm, status}, {})->total;
  };
  EXPECT_EQ(with(FieldStatus::kActive), 1U);
  spec.given(FieldAmended{kField.field_id, {.status = {FieldStatus::kFallow}}, kNow});
  EXPECT_EQ(with(FieldStatus::kActive), 0U);
  EXPECT_EQ(with(FieldStatus::kFallow), 1U);
  EXPECT_EQ(run_query(spec.rows(), ListFields{kFarm, {}}, {})->rows.front().updated_at, kNow);
}

TEST(FieldRows, AreListedUnderTheirFarmOnly) {
  const auto spec = given_field();
  EXPECT_EQ(run_query(spec.rows(), ListFields{{id<FarmId>('f')}, {}}, {}).error().code,
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace tilth::testing
