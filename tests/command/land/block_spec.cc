#include "command/land/block.h"
#include "query/land/block.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const auto kNewBlock = id<BlockId>('9');  // Spec::context.new_id
const FieldPath kSouth{kFarm.farm_id, id<FieldId>('e')};
const CropPath kOtherBlock{id<CropId>('e')};
const BlockRemoved kBlockRemoved{kBlock.block_id, kThen};

BlockDetails<Own> details(const CropPath& crop = kCrop) {
  return {.crop_id = crop.crop_id, .name = "B2"};
}

TEST(CreateBlock, Acts) {
  given_crop()
      .when(Create<Block>{kField, details()})
      .then(BlockRegistered{kNewBlock, kFarm.farm_id, kField.field_id, details(), kNow});
}

TEST(CreateBlock, MayCarryTheNameOfAnother) {
  const BlockDetails<Own> same{.crop_id = kCrop.crop_id, .name = "B1"};
  given_block()
      .when(Create<Block>{kField, same})
      .then(BlockRegistered{kNewBlock, kFarm.farm_id, kField.field_id, same, kNow});
}

TEST(CreateBlock, NeedsThatFieldOnThatFarm) {
  Spec().when(Create<Block>{kField, details()}).then_refused(ErrorCode::kNotFound);
  given_crop()
      .when(Create<Block>{{id<FarmId>('f'), kField.field_id}, details()})
      .then_refused(ErrorCode::kNotFound);
}

TEST(CreateBlock, NeedsACropOfThatField) {
  given_field().when(Create<Block>{kField, details()}).then_refused(ErrorCode::kNotFound);
  given_crop()
      .given(field_registered(kSouth))
      .when(Create<Block>{kSouth, details()})
      .then_refused(ErrorCode::kNotFound);
  given_crop()
      .given(CropRemoved{kCrop.crop_id, kThen})
      .when(Create<Block>{kField, details()})
      .then_refused(ErrorCode::kNotFound);
}

TEST(CreateBlock, NeedsAVarietyOfTheLibrary) {
  given_crop()
      .when(Create<Block>{
          kField, {.crop_id = kCrop.crop_id, .variety_id = id<VarietyId>('1'), .name = "B"}})
      .then_refused(ErrorCode::kNotFound);
}

TEST(UpdateBlock, ActsAlsoWhenItIsSoAlready) {
  const BlockDetails<Patch> changes{.crop_id = {kCrop.crop_id}, .area = null<Decimal>()};
  given_block()
      .when(Update<Block>{kBlock, changes})
      .then(BlockAmended{kBlock.block_id, changes, kNow});
}

TEST(UpdateBlock, StaysQuietWhenTheRequestCarriesNothing) {
  given_block().when(Update<Block>{kBlock, {}}).then_nothing();
}

TEST(UpdateBlock, NeedsThatBlockOnThatFieldAndFarm) {
  const auto block = kBlock.block_id;
  for (const auto& at : {BlockPath{id<FarmId>('f'), kField.field_id, block},
                         BlockPath{kFarm.farm_id, id<FieldId>('f'), block},
                         BlockPath{kFarm.farm_id, kField.field_id, id<BlockId>('f')}}) {
    given_block().when(Update<Block>{at, {}}).then_refused(ErrorCode::kNotFound);
  }
  given_block()
      .given(kBlockRemoved)
      .when(Update<Block>{kBlock, {}})
      .then_refused(ErrorCode::kNotFound);
}

TEST(UpdateBlock, MayMoveToAnotherCropOfItsField) {
  const BlockDetails<Patch> moved{.crop_id = {kOtherBlock.crop_id}};
  given_block()
      .given(crop_registered(kOtherBlock))
      .when(Update<Block>{kBlock, moved})
      .then(BlockAmended{kBlock.block_id, moved, kNow});
  given_block().when(Update<Block>{kBlock, moved}).then_refused(ErrorCode::kNotFound);
  given_block()
      .given(field_registered(kSouth), crop_registered(kOtherBlock, kSouth))
      .if_match("\"old\"")
      .when(Update<Block>{kBlock, moved})
      .then_refused(ErrorCode::kNotFound);
}

TEST(UpdateBlock, NeedsIfMatchToHold) {
  given_block()
      .if_match("\"old\"")
      .when(Update<Block>{kBlock, {}})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeleteBlock, HappensOnce) {
  given_block().when(Delete<Block>{kBlock}).then(BlockRemoved{kBlock.block_id, kNow});
  given_block().given(kBlockRemoved).when(Delete<Block>{kBlock}).then_refused(ErrorCode::kNotFound);
  given_block()
      .if_match("\"old\"")
      .when(Delete<Block>{kBlock})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeleteBlock, LeavesNothingOfItAndItsPlants) {
  EXPECT_EQ(given_plant().given(kBlockRemoved).kept(), given_crop().kept());
}

TEST(DeleteBlock, FollowsItsCropAfterAMove) {
  auto spec = given_plant().given(crop_registered(kOtherBlock));
  spec.given(BlockAmended{kBlock.block_id, {.crop_id = {kOtherBlock.crop_id}}, kThen});
  spec.given(CropRemoved{kCrop.crop_id, kThen});
  EXPECT_TRUE(spec.rows().find(kBlock.block_id)) << "it no longer belongs to that crop";
  spec.given(CropRemoved{kOtherBlock.crop_id, kThen});
  EXPECT_EQ(spec.kept(), given_field().kept());
}

struct Density {
  std::optional<const char*> given, x, y;
  const char* shown;
};

TEST(BlockRows, ShowADensityThatFollowsTheSpacings) {
  const auto decimal = [](std::optional<const char*> text) {
    return text ? std::optional(parsed<Decimal>(*text)) : std::nullopt;
  };
  for (const auto& [given, x, y, shown] :
       {Density{{}, "3", "2", "\"1666.66666667\""}, Density{"5", "3", "2", "\"5\""},
        Density{"0", "3", "2", "\"0\""}, Density{{}, "3", {}, "null"}, Density{{}, {}, {}, "null"},
        Density{{}, "0", "2", "null"}, Density{{}, "0.1", "0.1", "\"1000000\""},
        Density{{}, "0.1", "0.09", "null"}}) {
    auto spec = given_crop();
    spec.given(BlockRegistered{kBlock.block_id,
                               kFarm.farm_id,
                               kField.field_id,
                               {.crop_id = kCrop.crop_id,
                                .name = "B",
                                .spacing_x = decimal(x),
                                .spacing_y = decimal(y),
                                .plant_density = decimal(given)},
                               kThen});
    const auto json = render_json(*spec.rows().find(kBlock.block_id));
    EXPECT_NE(json.find("\"plantDensity\":" + std::string(shown) + ","), std::string::npos) << json;
  }
}

TEST(BlockRows, AreListedByStatusAndCrop) {
  auto spec = given_block().given(crop_registered(kOtherBlock));
  const auto with = [&](std::optional<BlockStatus> status, std::optional<CropId> crop) {
    return run_query(spec.rows(), ListBlocks{kField, status, crop}, {})->total;
  };
  EXPECT_EQ(with(BlockStatus::kPlanned, kCrop.crop_id), 1U);
  spec.given(BlockAmended{
      kBlock.block_id, {.crop_id = {kOtherBlock.crop_id}, .status = {BlockStatus::kMature}}, kNow});
  EXPECT_EQ(with({}, kCrop.crop_id), 0U);
  EXPECT_EQ(with(BlockStatus::kPlanned, {}), 0U);
  EXPECT_EQ(with(BlockStatus::kMature, kOtherBlock.crop_id), 1U);
}

}  // namespace
}  // namespace tilth::testing
