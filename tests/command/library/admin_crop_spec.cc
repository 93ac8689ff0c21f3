#include "command/library/admin_crop.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

const auto kDates = id<AdminCropId>('a');
const auto kAjwa = id<VarietyId>('b');
const AdminCropDetails<Own> kDateDetails{.name = "Date palm", .days_to_maturity = 200};
const AdminCropDescribed kDescribed{
    kDates, kDateDetails, {{kAjwa, {.variety_name = "Ajwa", .days_to_maturity = 180}}}, kThen};

Spec given_library() { return Spec(kReferenceStream).given(kDescribed); }

TEST(DescribeCrop, AddsACropAndItsVarietiesWithIdsOfTheirOwn) {
  Spec(kReferenceStream)
      .when(DescribeCrop{{}, {.name = {"Teff"}}, {{{}, {.variety_name = {"Quncho"}}}}})
      .then(AdminCropDescribed{
          id<AdminCropId>('9'),
          {.name = "Teff"},
          {{parsed<VarietyId>("00000000-0000-4000-8000-00000000000a"), {.variety_name = "Quncho"}}},
          kNow});
}

TEST(DescribeCrop, AddsThemWithTheIdsThatItSays) {
  const DescribeCrop command{
      id<AdminCropId>('1'), {.name = {"Teff"}}, {{id<VarietyId>('2'), {.variety_name = {"Kora"}}}}};
  Spec(kReferenceStream)
      .when(command)
      .then(AdminCropDescribed{id<AdminCropId>('1'),
                               {.name = "Teff"},
                               {{id<VarietyId>('2'), {.variety_name = "Kora"}}},
                               kNow});
}

TEST(DescribeCrop, FindsTheCropByItsIdElseByItsNameWithoutCase) {
  AdminCropDescribed after{kDates, kDateDetails, {}, kNow};
  after.details.days_to_maturity = 210;
  const AdminCropDetails<Patch> longer{.days_to_maturity = {210}};
  given_library().when(DescribeCrop{kDates, longer, {}}).then(after);
  auto named = longer;
  named.name = {"DATE PALM"};
  after.details.name = "DATE PALM";
  given_library().when(DescribeCrop{{}, named, {}}).then(after);
  given_library().when(DescribeCrop{id<AdminCropId>('7'), named, {}}).then(after);
}

TEST(DescribeCrop, LeavesWhatItDoesNotSayAndClearsWhatIsNull) {
  const DescribeCrop command{
      kDates, {.days_to_maturity = null<std::int64_t>()}, {{kAjwa, {.description = {"Dark."}}}}};
  given_library().when(command).then(AdminCropDescribed{
      kDates,
      {.name = "Date palm"},
      {{kAjwa, {.variety_name = "Ajwa", .description = "Dark.", .days_to_maturity = 180}}},
      kNow});
}

TEST(DescribeCrop, DoesSoWithinAYieldAndAClimate) {
  auto before = kDescribed;
  before.details.yield_per_hectare = YieldRange{{.low = Figure(1), .high = Figure(3)}};
  before.varieties[0].details.climate_override = ClimateRange{{.temperature_min_c = Figure(4)}};
  DescribeCrop command{kDates, {}, {{kAjwa, {}}}};
  command.changes.yield_per_hectare.to =
      YieldRangeDetails<Patch>{.typical = {Figure(2)}, .high = null<Figure>()};
  command.varieties[0].changes.climate_override.to =
      ClimateRangeDetails<Patch>{.temperature_max_c = {Figure(30)}};
  auto after = before;
  after.details.yield_per_hectare = YieldRange{{.low = Figure(1), .typical = Figure(2)}};
  after.varieties[0].details.climate_override =
      ClimateRange{{.temperature_min_c = Figure(4), .temperature_max_c = Figure(30)}};
  after.described_at = kNow;
  Spec(kReferenceStream).given(before).when(command).then(after);
}

TEST(DescribeCrop, CarriesOnlyTheVarietiesThatAreNewOrDifferent) {
  const DescribeCrop command{
      kDates,
      {},
      {{{}, {.variety_name = {"ajwa"}}}, {id<VarietyId>('c'), {.variety_name = {"Barhi"}}}}};
  given_library().when(command).then(
      AdminCropDescribed{kDates,
                         kDateDetails,
                         {{kAjwa, {.variety_name = "ajwa", .days_to_maturity = 180}},
                          {id<VarietyId>('c'), {.variety_name = "Barhi"}}},
                         kNow});
}

TEST(DescribeCrop, StaysQuietWhenAllOfItIsSoAlready) {
  given_library().when(DescribeCrop{kDates, {}, {}}).then_nothing();
  const DescribeCrop command{{},
                             {.name = {"Date palm"}, .days_to_maturity = {200}},
                             {{{}, {.variety_name = {"Ajwa"}, .days_to_maturity = {180}}}}};
  given_library().when(command).then_nothing();
}

TEST(DescribeCrop, NeedsANameForWhatIsNew) {
  Spec spec(kReferenceStream);
  spec.when(DescribeCrop{kDates, {}, {}}).then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(spec.refusal().issues.contains("name"));
  auto library = given_library();
  library.when(DescribeCrop{kDates, {}, {{}}}).then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(library.refusal().issues.contains("varieties.0.varietyName"));
}

TEST(DescribeCrop, IsToldOfEverythingThatIsWrong) {
  Spec spec(kReferenceStream);
  const DescribeVariety kora{{}, {.variety_name = {"Kora"}}};
  spec.when(DescribeCrop{kDates, {}, {{}, kora, kora}}).then_refused(ErrorCode::kInvalid);
  const Issues expected{{"name", {"is required"}},
                        {"varieties.0.varietyName", {"is required"}},
                        {"varieties.2.varietyName", {"is another variety's"}}};
  EXPECT_EQ(spec.refusal().issues, expected);
}

TEST(DescribeCrop, RefusesARangeThatEndsBelowItsBeginning) {
  auto before = kDescribed;
  before.details.soil_ph_max = Figure(6);
  DescribeCrop command{kDates, {.soil_ph_min = {Figure(7)}}, {{kAjwa, {}}}};
  command.changes.temperature_min_c = {Figure(40)};
  command.changes.temperature_max_c = {Figure(4)};
  command.changes.yield_per_hectare.to =
      YieldRangeDetails<Patch>{.low = {Figure(9)}, .typical = {Figure(5)}, .high = {Figure(3)}};
  command.varieties[0].changes.yield_override.to =
      YieldRangeDetails<Patch>{.low = {Figure(2)}, .high = {Figure(1)}};
  command.varieties[0].changes.climate_override.to = ClimateRangeDetails<Patch>{
      .temperature_min_c = {Figure(1)}, .temperature_max_c = {Figure(0)}};
  auto library = Spec(kReferenceStream).given(before);
  library.when(command).then_refused(ErrorCode::kInvalid);
  const Issues expected{
      {"soilPhMin", {"must be at most soilPhMax"}},
      {"temperatureMinC", {"must be at most temperatureMaxC"}},
      {"yieldPerHectare.low", {"must be at most typical", "must be at most high"}},
      {"yieldPerHectare.typical", {"must be at most high"}},
      {"varieties.0.yieldOverride.low", {"must be at most high"}},
      {"varieties.0.climateOverride.temperatureMinC", {"must be at most temperatureMaxC"}}};
  EXPECT_EQ(library.refusal().issues, expected);
}

TEST(DescribeCrop, TakesARangeOfOneValue) {
  DescribeCrop command{kDates, {.soil_ph_min = {Figure(7)}, .soil_ph_max = {Figure(7)}}, {}};
  auto after = kDescribed;
  after.details.soil_ph_min = after.details.soil_ph_max = Figure(7);
  given_library().when(command).then(AdminCropDescribed{kDates, after.details, {}, kNow});
}

TEST(DescribeCrop, GivesNoTwoTheSameName) {
  const auto teff = id<AdminCropId>('1');
  auto library = given_library().given(AdminCropDescribed{teff, {.name = "Teff"}, {}, kThen});
  library.when(DescribeCrop{teff, {.name = {"date Palm"}}, {}}).then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(library.refusal().issues.contains("name"));
  const DescribeVariety kora{{}, {.variety_name = {"Kora"}}};
  library.when(DescribeCrop{teff, {}, {kora, kora}}).then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(library.refusal().issues.contains("varieties.1.varietyName"));
  library.when(DescribeCrop{teff, {}, {{kAjwa, {}}}}).then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(library.refusal().issues.contains("varieties.0.id"));
}

TEST(LibraryRows, AreFoundByAnyOwnerWhenVerifiedAndActive) {
  auto hidden = kDescribed;
  hidden.details.is_active = false;
  const auto spec = Spec().given_reference(kDescribed);
  EXPECT_EQ(find(spec.rows(), AdminCropPath{kDates})->details.name, "Date palm");
  EXPECT_EQ(find_variety(spec.rows(), kAjwa)->details.variety_name, "Ajwa");
  EXPECT_FALSE(spec.rows().find(kDates)) << "it is not one of the owner's rows";
  const auto off = Spec().given_reference(kDescribed, hidden);
  EXPECT_FALSE(find(off.rows(), AdminCropPath{kDates}));
  EXPECT_FALSE(find_variety(off.rows(), kAjwa));
}

TEST(LibraryRows, KeepTheTimeAtWhichTheyCameIn) {
  auto later = kDescribed;
  later.described_at = kNow;
  const auto rows = Spec().given_reference(kDescribed, later);
  EXPECT_EQ(rows.rows().reference().find(kDates)->created_at, kThen);
  EXPECT_EQ(rows.rows().reference().find(kAjwa)->created_at, kThen);
}

TEST(LibraryRows, AnswerTheirFiguresAsNumbers) {
  const auto shown = render_json(
      AdminCrop{kDates, {.name = "Date palm", .spacing_x = parsed<Figure>("7.50")}, kThen});
  EXPECT_NE(shown.find(R"("spacingX":7.5,"spacingY":null)"), shown.npos) << shown;
}

}  // namespace
}  // namespace tilth::testing
