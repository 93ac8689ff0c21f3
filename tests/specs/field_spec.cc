#include "command/field.h"
#include "query/field.h"
#include "tests/land.h"

namespace tilth::testing {
namespace {

const FieldPath kNew{kFarm.farm_id, id<FieldId>('9')};  // Spec::context.new_id
const FieldPath kElsewhere{id<FarmId>('f'), kField.field_id};
const FieldDetails<Own> kDetails{.name = "South", .area = Decimal(2)};
const FieldRemoved kRemoved{kField.field_id, kThen};

TEST(RegisterField, Acts) {
  given_farm()
      .when(RegisterField{kFarm, kDetails})
      .then(FieldRegistered{kNew.field_id, kFarm.farm_id, kDetails, kNow});
}

TEST(RegisterField, MayCarryTheNameOfAnother) {
  given_field()
      .when(RegisterField{kFarm, {.name = "North", .area = Decimal(2)}})
      .then(FieldRegistered{
          kNew.field_id, kFarm.farm_id, {.name = "North", .area = Decimal(2)}, kNow});
}

TEST(RegisterField, NeedsThatFarm) {
  Spec().when(RegisterField{kFarm, kDetails}).then_refused(ErrorCode::kNotFound);
  given_farm()
      .given(FarmRemoved{kFarm.farm_id, kThen})
      .when(RegisterField{kFarm, kDetails})
      .then_refused(ErrorCode::kNotFound);
}

TEST(AmendField, ActsAlsoWhenItIsSoAlready) {
  const FieldDetails<Patch> changes{.soil_ph = null<Decimal>(), .status = {FieldStatus::kActive}};
  given_field()
      .when(AmendField{kField, changes})
      .then(FieldAmended{kField.field_id, changes, kNow});
}

TEST(AmendField, StaysQuietWhenTheRequestCarriesNothing) {
  given_field().when(AmendField{kField, {}}).then_nothing();
}

TEST(AmendField, NeedsThatFieldOnThatFarm) {
  given_farm().when(AmendField{kField, {}}).then_refused(ErrorCode::kNotFound);
  given_field().when(AmendField{kElsewhere, {}}).then_refused(ErrorCode::kNotFound);
  given_field()
      .given(farm_registered({kElsewhere.farm_id}, "Other"))
      .when(AmendField{kElsewhere, {}})
      .then_refused(ErrorCode::kNotFound);
  given_field().given(kRemoved).when(AmendField{kField, {}}).then_refused(ErrorCode::kNotFound);
}

TEST(AmendField, NeedsIfMatchToHold) {
  auto spec = given_field();
  const auto before = tag_of(*spec.rows().find(kField.field_id));
  spec.if_match(before).when(AmendField{kField, {}}).then_nothing();
  spec.given(FieldAmended{kField.field_id, {.status = {FieldStatus::kActive}}, kNow});
  spec.when(AmendField{kField, {}}).then_refused(ErrorCode::kPreconditionFailed);
}

TEST(RemoveField, HappensOnce) {
  given_field().when(RemoveField{kField}).then(FieldRemoved{kField.field_id, kNow});
  given_field().when(RemoveField{kElsewhere}).then_refused(ErrorCode::kNotFound);
  given_field().given(kRemoved).when(RemoveField{kField}).then_refused(ErrorCode::kNotFound);
  given_field()
      .if_match("\"old\"")
      .when(RemoveField{kField})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(RemoveField, LeavesNothingOfWhatGrewOnIt) {
  EXPECT_EQ(given_plant().given(kRemoved).kept(), given_farm().kept());
}

TEST(RemoveField, LeavesTheCropsOfOtherFieldsAlone) {
  const FieldPath south{kFarm.farm_id, id<FieldId>('e')};
  const auto others = [&](Spec spec) {
    return spec.given(field_registered(south, "South"), crop_registered({id<CropId>('e')}, south));
  };
  EXPECT_EQ(others(given_plant()).given(kRemoved).kept(), others(given_farm()).kept());
}

TEST(FieldRows, MoveBetweenListsAsTheyAreAmended) {
  auto spec = given_field();
  const auto with = [&](FieldStatus status) {
    return answer(spec.rows(), ListFields{kFarm, status}, {})->total;
  };
  EXPECT_EQ(with(FieldStatus::kActive), 1U);
  spec.given(FieldAmended{kField.field_id, {.status = {FieldStatus::kFallow}}, kNow});
  EXPECT_EQ(with(FieldStatus::kActive), 0U);
  EXPECT_EQ(with(FieldStatus::kFallow), 1U);
  EXPECT_EQ(answer(spec.rows(), ListFields{kFarm, {}}, {})->rows.front().updated_at, kNow);
}

TEST(FieldRows, AreListedUnderTheirFarmOnly) {
  const auto spec = given_field();
  EXPECT_EQ(answer(spec.rows(), ListFields{{id<FarmId>('f')}, {}}, {}).error().code,
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace tilth::testing
