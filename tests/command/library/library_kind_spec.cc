// What an owner's crops and blocks take from the crop library.

#include "command/land/block.h"
#include "command/land/crop.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const auto kTomato = id<AdminCropId>('7');
const auto kMaize = id<AdminCropId>('8');
const auto kRoma = id<VarietyId>('5');
const auto kAce = id<VarietyId>('6');
const auto kPlanted = parsed<Date>("2026-03-01");

Figure figure(std::string_view text) { return parsed<Figure>(text); }

Spec with_library(Spec spec, bool active = true) {
  return spec.given_reference(
      AdminCropDescribed{kTomato,
                         {.name = "Tomato",
                          .days_to_maturity = 145,
                          .spacing_x = figure("1.5"),
                          .spacing_y = figure("0.5"),
                          .plant_density = figure("13000"),
                          .is_active = active},
                         {{kRoma, {.variety_name = "Roma", .days_to_maturity = 75}},
                          {kAce, {.variety_name = "Ace", .spacing_y = figure("0.4")}}},
                         kThen},
      AdminCropDescribed{kMaize, {.name = "Maize"}, {}, kThen});
}

CropDetails<Own> tomato() { return {.crop_type = "Tomato"}; }

Decision registered(const CropDetails<Own>& details) {
  const auto spec = with_library(given_field());
  return decide(spec.rows(), CreateCrop{{}, kFarm.farm_id, kField.field_id, details}, spec.context);
}
CropDetails<Own> kept(const Decision& decision) {
  return decision->value().get<CropRegistered>().details;
}

TEST(CropOfTheLibrary, NamesItsCropByItsVarietyAlone) {
  auto details = tomato();
  details.variety_id = kRoma;
  EXPECT_EQ(kept(registered(details)).admin_crop_id, kTomato);
}

TEST(CropOfTheLibrary, MustBeListedAndTheVarietyItsOwn) {
  auto details = tomato();
  details.admin_crop_id = kMaize, details.variety_id = kRoma;
  EXPECT_FALSE(registered(details));
  details.variety_id = id<VarietyId>('f');
  EXPECT_FALSE(registered(details));
  const CreateCrop named{
      {}, kFarm.farm_id, kField.field_id, {.crop_type = "T", .admin_crop_id = kTomato}};
  with_library(given_field(), false).when(named).then_refused(ErrorCode::kNotFound);
}

TEST(CropOfTheLibrary, IsHarvestedWhenItsVarietySaysElseItsCrop) {
  auto details = tomato();
  details.planting_date = kPlanted, details.admin_crop_id = kTomato;
  EXPECT_EQ(kept(registered(details)).expected_harvest_date, parsed<Date>("2026-07-24"));
  details.variety_id = kAce;
  EXPECT_EQ(kept(registered(details)).expected_harvest_date, parsed<Date>("2026-07-24"));
  details.variety_id = kRoma;
  EXPECT_EQ(kept(registered(details)).expected_harvest_date, parsed<Date>("2026-05-15"));
  details.expected_harvest_date = parsed<Date>("2026-06-01");
  EXPECT_EQ(kept(registered(details)).expected_harvest_date, parsed<Date>("2026-06-01"));
  auto endless = tomato();
  endless.admin_crop_id = kTomato, endless.planting_date = parsed<Date>("9999-12-01");
  EXPECT_EQ(kept(registered(endless)).expected_harvest_date, std::nullopt);
}

TEST(CropOfTheLibrary, ExpectsItsHarvestOnceThePlantingIsKnown) {
  const CropDetails<Patch> of_library{.admin_crop_id = {kTomato}};
  auto spec = with_library(given_crop()).given(CropAmended{kCrop.crop_id, of_library, kThen});
  spec.when(Update<Crop>{kCrop, {.planting_date = {kPlanted}}})
      .then(CropAmended{
          kCrop.crop_id,
          {.planting_date = {kPlanted}, .expected_harvest_date = {parsed<Date>("2026-07-24")}},
          kNow});
  const CropDetails<Patch> cleared{.planting_date = {kPlanted},
                                   .expected_harvest_date = null<Date>()};
  spec.when(Update<Crop>{kCrop, cleared}).then(CropAmended{kCrop.crop_id, cleared, kNow});
  spec.given(
      CropAmended{kCrop.crop_id, {.expected_harvest_date = {parsed<Date>("2026-09-01")}}, kThen});
  spec.when(Update<Crop>{kCrop, {.planting_date = {kPlanted}}})
      .then(CropAmended{kCrop.crop_id, {.planting_date = {kPlanted}}, kNow});
}

TEST(CropOfTheLibrary, KeepsAPairThatFits) {
  const auto amend = [](CropDetails<Patch> changes) { return Update<Crop>{kCrop, changes}; };
  auto spec = with_library(given_crop())
                  .given(CropAmended{
                      kCrop.crop_id, {.admin_crop_id = {kTomato}, .variety_id = {kRoma}}, kThen});
  spec.when(amend({.admin_crop_id = {kMaize}})).then_refused(ErrorCode::kNotFound);
  spec.when(amend({.admin_crop_id = {kMaize}, .variety_id = {kAce}}))
      .then_refused(ErrorCode::kNotFound);
  spec.when(amend({.admin_crop_id = null<AdminCropId>(), .variety_id = {kAce}}))
      .then_refused(ErrorCode::kNotFound);
  const CropDetails<Patch> other{.admin_crop_id = {kMaize}, .variety_id = null<VarietyId>()};
  spec.when(amend(other)).then(CropAmended{kCrop.crop_id, other, kNow});
  spec.when(amend({.variety_id = {kAce}}))
      .then(CropAmended{kCrop.crop_id, {.admin_crop_id = {kTomato}, .variety_id = {kAce}}, kNow});
}

TEST(CropOfTheLibrary, GoesOnWhenItIsNoLongerListed) {
  auto spec = with_library(given_crop())
                  .given(CropAmended{kCrop.crop_id, {.admin_crop_id = {kTomato}}, kThen});
  with_library(spec, false)
      .when(Update<Crop>{kCrop, {.notes = {"Wet."}}})
      .then(CropAmended{kCrop.crop_id, {.notes = {"Wet."}}, kNow});
}

BlockDetails<Own> block_of(Spec spec, BlockDetails<Own> details) {
  details.crop_id = kCrop.crop_id, details.name = "B";
  const auto decision = decide(spec.rows(), Create<Block>{kField, details}, spec.context);
  return decision->value().get<BlockRegistered>().details;
}

TEST(BlockOfTheLibrary, StandsAsItsVarietyElseItsCropStands) {
  const auto spec = with_library(given_crop());
  const auto of_ace = block_of(spec, {.variety_id = kAce});
  EXPECT_EQ(of_ace.spacing_x, figure("1.5"));
  EXPECT_EQ(of_ace.spacing_y, figure("0.4"));
  EXPECT_EQ(of_ace.plant_density, figure("13000"));
  const auto plain = block_of(spec, {});
  EXPECT_EQ(plain.spacing_x, std::nullopt);
  EXPECT_EQ(plain.plant_density, std::nullopt);
}

TEST(BlockOfTheLibrary, TakesWhatItsCropNames) {
  auto spec = with_library(given_crop())
                  .given(CropAmended{kCrop.crop_id, {.admin_crop_id = {kTomato}}, kThen});
  EXPECT_EQ(block_of(spec, {}).spacing_y, figure("0.5"));
  spec.given(CropAmended{kCrop.crop_id, {.variety_id = {kAce}}, kThen});
  EXPECT_EQ(block_of(spec, {}).spacing_y, figure("0.4"));
}

TEST(BlockOfTheLibrary, TakesNoDensityNextToASpacingThatWasGiven) {
  const auto spec = with_library(given_crop());
  const auto given = block_of(spec, {.variety_id = kAce, .spacing_x = Decimal(2)});
  EXPECT_EQ(given.spacing_x, Decimal(2));
  EXPECT_EQ(given.spacing_y, figure("0.4"));
  EXPECT_EQ(given.plant_density, std::nullopt);
  EXPECT_EQ(block_of(spec, {.variety_id = kAce, .plant_density = Decimal(7)}).plant_density,
            Decimal(7));
}

TEST(BlockOfTheLibrary, MustBeOfAListedVariety) {
  const BlockDetails<Own> of_roma{.crop_id = kCrop.crop_id, .variety_id = kRoma, .name = "B"};
  with_library(given_crop(), false)
      .when(Create<Block>{kField, of_roma})
      .then_refused(ErrorCode::kNotFound);
  auto spec = with_library(given_block());
  spec.when(Update<Block>{kBlock, {.variety_id = {id<VarietyId>('f')}}})
      .then_refused(ErrorCode::kNotFound);
  spec.when(Update<Block>{kBlock, {.variety_id = {kRoma}}})
      .then(BlockAmended{kBlock.block_id, {.variety_id = {kRoma}}, kNow});
}

}  // namespace
}  // namespace tilth::testing
