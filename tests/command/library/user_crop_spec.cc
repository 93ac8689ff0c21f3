#include "command/library/user_crop.h"
#include "query/library/user_crop.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const auto kDateCrop = id<AdminCropId>('7');
const UserCropPath kEntry{id<UserCropId>('1')};
const auto kNewEntry = id<UserCropId>('9');  // Spec::context.new_id

AdminCropDescribed described(std::string name = "Date palm", bool active = true) {
  return {kDateCrop, {.name = std::move(name), .is_active = active}, {}, kThen};
}
UserCropAdded added(const UserCropPath& at, const std::optional<FarmId>& farm,
                    Timestamp when = kThen) {
  return {at.user_crop_id, {kDateCrop, "Date palm"}, farm, {}, {}, when};
}
Spec given_library() { return given_farm().given_reference(described()); }

TEST(CreateUserCrop, KeepsWhatTheLibraryCallsTheCrop) {
  given_library()
      .when(CreateUserCrop{{},
                           kDateCrop,
                           kFarm.farm_id,
                           UserCropSource::kAiRecommendation,
                           FreeObject{R"({"customName":"Ours"})"}})
      .then(UserCropAdded{kNewEntry,
                          {kDateCrop, "Date palm"},
                          kFarm.farm_id,
                          UserCropSource::kAiRecommendation,
                          FreeObject{R"({"customName":"Ours"})"},
                          kNow});
}

TEST(CreateUserCrop, AnswersTheEntryThatIsThereForThatFarm) {
  auto spec = given_library().given(added(kEntry, kFarm.farm_id));
  spec.when(CreateUserCrop{{}, kDateCrop, kFarm.farm_id, UserCropSource::kAiRecommendation, {}})
      .then(RequestAnswered{"user_crop", kEntry.user_crop_id.uuid, kNow});
  spec.when(CreateUserCrop{{}, kDateCrop, {}, {}, {}}).then(added({kNewEntry}, {}, kNow));
}

TEST(CreateUserCrop, RenamesTheEntryThatIsThereOnceTheLibraryCallsItOtherwise) {
  const UserCropRenamed renamed{kEntry.user_crop_id, {kDateCrop, "Date"}, kNow};
  auto spec = given_library().given(added(kEntry, {})).given_reference(described("Date"));
  spec.when(CreateUserCrop{{}, kDateCrop, {}, {}, {}}).then(renamed);
  spec.given(renamed);
  spec.when(CreateUserCrop{{}, kDateCrop, {}, {}, {}})
      .then(RequestAnswered{"user_crop", kEntry.user_crop_id.uuid, kNow});
}

TEST(CreateUserCrop, NeedsAListedCropAndAFarmOfTheOwners) {
  given_farm().when(CreateUserCrop{{}, kDateCrop, {}, {}, {}}).then_refused(ErrorCode::kNotFound);
  given_farm()
      .given_reference(described("Date palm", false))
      .when(CreateUserCrop{{}, kDateCrop, {}, {}, {}})
      .then_refused(ErrorCode::kNotFound);
  given_library()
      .when(CreateUserCrop{{}, kDateCrop, id<FarmId>('f'), {}, {}})
      .then_refused(ErrorCode::kNotFound);
}

TEST(DeleteUserCrop, HappensOnce) {
  auto spec = given_library().given(added(kEntry, {}));
  spec.if_match("\"old\"").when(Delete<UserCrop>{kEntry});
  spec.then_refused(ErrorCode::kPreconditionFailed);
  spec.if_match("*")
      .when(Delete<UserCrop>{kEntry})
      .then(UserCropRemoved{kEntry.user_crop_id, kNow});
  spec.given(UserCropRemoved{kEntry.user_crop_id, kNow});
  spec.when(Delete<UserCrop>{kEntry}).then_refused(ErrorCode::kNotFound);
  EXPECT_EQ(spec.kept(), given_library().kept());
}

TEST(DeleteUserCrop, IsHeldAgainstTheNameThatTheCropHasNow) {
  auto spec = given_library().given(added(kEntry, {}));
  const auto shown = [&] {
    return entity_tag(render_json(run_query(spec.rows(), ListUserCrops{}, {})->rows.front()));
  };
  const auto before = shown();
  spec.given_reference(described("Date"));
  spec.if_match(before).when(Delete<UserCrop>{kEntry}).then_refused(ErrorCode::kPreconditionFailed);
  spec.if_match(shown()).when(Delete<UserCrop>{kEntry});
  spec.then(UserCropRemoved{kEntry.user_crop_id, kNow});
}

TEST(UserCropRows, KeepWhenTheyChangedAsTheyAreRenamed) {
  const auto spec = given_library()
                        .given(added(kEntry, {}))
                        .given(UserCropRenamed{kEntry.user_crop_id, {kDateCrop, "Date"}, kNow});
  const auto row = spec.rows().find(kEntry.user_crop_id);
  EXPECT_EQ(row->admin_crop.name, "Date");
  EXPECT_EQ(row->updated_at, kThen);
}

TEST(UserCropRows, GoWithTheirFarm) {
  const FarmRemoved gone{kFarm.farm_id, kNow};
  const auto general = added({id<UserCropId>('2')}, {});
  EXPECT_EQ(given_library().given(added(kEntry, kFarm.farm_id), general, gone).kept(),
            given_library().given(general, gone).kept());
}

TEST(UserCropRows, ShowTheNameThatTheCropHasNow) {
  const auto spec = given_library().given(added(kEntry, {})).given_reference(described("Date"));
  const auto listed = run_query(spec.rows(), ListUserCrops{}, {});
  ASSERT_EQ(listed->rows.size(), 1U);
  EXPECT_EQ(listed->rows.front().admin_crop.name, "Date");
  EXPECT_EQ(listed->rows.front().user_id, "user_1");
}

}  // namespace
}  // namespace tilth::testing
