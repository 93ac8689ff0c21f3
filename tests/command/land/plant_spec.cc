#include "command/land/plant.h"
#include "query/land/plant.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const PlantPath kFig{kBlock, id<PlantId>('2')};
const auto kNewPlant = id<PlantId>('9');  // Spec::context.new_id
const PlantDetails<Own> kTagged{.label = "Fig", .tag_id = "qr-7"};
const PlantDetails<Own> kUntagged{.label = "Palm"};
const PlantRemoved kPlantRemoved{kPlant.plant_id, kThen};

PlantRegistered registered(const PlantDetails<Own>& details) {
  return {kNewPlant, kBlock.farm_id, kBlock.field_id, kBlock.block_id, details, kNow};
}

BlockPath elsewhere(char farm, char field, char block) {
  return {id<FarmId>(farm), id<FieldId>(field), id<BlockId>(block)};
}

TEST(CreatePlant, Acts) {
  given_block().when(Create<Plant>{kBlock, kTagged}).then(registered(kTagged));
}

TEST(CreatePlant, MayCarryTheLabelOfAnother) {
  given_plant().when(Create<Plant>{kBlock, kUntagged}).then(registered(kUntagged));
}

TEST(CreatePlant, NeedsThatBlockOnThatFieldAndFarm) {
  Spec().when(Create<Plant>{kBlock, kTagged}).then_refused(ErrorCode::kNotFound);
  for (const auto& at :
       {elsewhere('f', 'b', 'c'), elsewhere('a', 'f', 'c'), elsewhere('a', 'b', 'f')}) {
    given_block().when(Create<Plant>{at, kTagged}).then_refused(ErrorCode::kNotFound);
  }
  given_block()
      .given(BlockRemoved{kBlock.block_id, kThen})
      .when(Create<Plant>{kBlock, kTagged})
      .then_refused(ErrorCode::kNotFound);
}

TEST(CreatePlant, RefusesATagThatAnotherPlantOfTheBlockWears) {
  given_plant().when(Create<Plant>{kBlock, kTagged}).then_refused(ErrorCode::kConflict);
  given_plant()
      .given(PlantAmended{kPlant.plant_id, {.status = {PlantStatus::kRemoved}}, kThen})
      .when(Create<Plant>{kBlock, kTagged})
      .then_refused(ErrorCode::kConflict);
}

TEST(CreatePlant, ComparesTagsExactly) {
  const PlantDetails<Own> shouted{.label = "Fig", .tag_id = "QR-7"};
  given_plant().when(Create<Plant>{kBlock, shouted}).then(registered(shouted));
}

TEST(CreatePlant, MayTakeTheTagOfARemovedOrUntaggedPlantOrOfAnotherBlock) {
  given_plant().given(kPlantRemoved).when(Create<Plant>{kBlock, kTagged}).then(registered(kTagged));
  given_plant()
      .given(PlantAmended{kPlant.plant_id, {.tag_id = null<std::string>()}, kThen})
      .when(Create<Plant>{kBlock, kTagged})
      .then(registered(kTagged));
  const auto next = elsewhere('a', 'b', 'e');
  given_block()
      .given(block_registered(next), plant_registered({next, kPlant.plant_id}))
      .when(Create<Plant>{kBlock, kTagged})
      .then(registered(kTagged));
}

TEST(UpdatePlant, ActsAlsoWhenItIsSoAlready) {
  const PlantDetails<Patch> changes{
      .label = {"Palm"}, .tag_id = null<std::string>(), .notes = {"Tall"}};
  given_plant()
      .when(Update<Plant>{kPlant, changes})
      .then(PlantAmended{kPlant.plant_id, changes, kNow});
}

TEST(UpdatePlant, StaysQuietWhenTheRequestCarriesNothing) {
  given_plant().when(Update<Plant>{kPlant, {}}).then_nothing();
}

TEST(UpdatePlant, NeedsThatPlantInThatBlock) {
  given_plant().when(Update<Plant>{kFig, {}}).then_refused(ErrorCode::kNotFound);
  for (const auto& at :
       {elsewhere('f', 'b', 'c'), elsewhere('a', 'f', 'c'), elsewhere('a', 'b', 'f')}) {
    given_plant().when(Update<Plant>{{at, kPlant.plant_id}, {}}).then_refused(ErrorCode::kNotFound);
  }
}

TEST(UpdatePlant, RefusesATagThatAnotherPlantOfTheBlockWears) {
  auto spec = given_plant().given(plant_registered(kFig, {.label = "Fig"}));
  spec.when(Update<Plant>{kFig, {.tag_id = {"qr-7"}}}).then_refused(ErrorCode::kConflict);
  spec.when(Update<Plant>{kPlant, {.tag_id = {"qr-7"}}})
      .then(PlantAmended{kPlant.plant_id, {.tag_id = {"qr-7"}}, kNow});
}

TEST(UpdatePlant, NeedsIfMatchToHoldBeforeItLooksAtTheTag) {
  auto spec = given_plant().given(plant_registered(kFig, {.label = "Fig"}));
  spec.if_match("\"old\"").when(Update<Plant>{kFig, {.tag_id = {"qr-7"}}});
  spec.then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeletePlant, HappensOnce) {
  given_plant().when(Delete<Plant>{kPlant}).then(PlantRemoved{kPlant.plant_id, kNow});
  given_plant().given(kPlantRemoved).when(Delete<Plant>{kPlant}).then_refused(ErrorCode::kNotFound);
  given_plant()
      .if_match("\"old\"")
      .when(Delete<Plant>{kPlant})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeletePlant, LeavesNothingOfIt) {
  EXPECT_EQ(given_plant().given(kPlantRemoved).kept(), given_block().kept());
}

TEST(PlantRows, FollowTheEventsAndServeLists) {
  const PlantAmended amended{
      kPlant.plant_id, {.tag_id = null<std::string>(), .notes = {"Tall"}}, kNow};
  const auto spec = given_plant().given(plant_registered(kFig, {.label = "Fig"}), amended);
  const PageRequest by_label{.sort = 1, .order = Order::kAscending};
  const auto listed = run_query(spec.rows(), ListPlants{kBlock, {}}, by_label);
  ASSERT_EQ(listed->rows.size(), 2U);
  const auto& palm = listed->rows.back();
  EXPECT_EQ(palm.details.label + *palm.details.notes, "PalmTall");
  EXPECT_EQ(palm.details.tag_id, std::nullopt);
  EXPECT_EQ(palm.updated_at, kNow);
  EXPECT_FALSE(spec.rows().find_unique<Plant>(kBlock.block_id.uuid, "qr-7"));
}

TEST(PlantRows, KeepToThemselvesWhereTheyStand) {
  const auto shown = render_json(*given_plant().rows().find(kPlant.plant_id));
  EXPECT_EQ(shown,
            R"({"id":"00000000-0000-4000-8000-000000000001",)"
            R"("blockId":"00000000-0000-4000-8000-00000000000c","label":"Palm","tagId":"qr-7",)"
            R"("position":null,"plantedAt":null,"status":"alive","notes":null,)"
            R"("createdAt":"2026-02-01T12:00:00.000Z","updatedAt":"2026-02-01T12:00:00.000Z"})");
}

}  // namespace
}  // namespace tilth::testing
