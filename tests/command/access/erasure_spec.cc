#include "command/access/erasure.h"
#include "command/access/user.h"
#include "events/access/erasure.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const std::string kUser = "user_AAAAAAAAAAAAAAAAAAAAA", kOther = "user_BBBBBBBBBBBBBBBBBBBBB";
const UserRegistered kRegistered{kUser, "Aisha@farm.example", "Aisha", "seed", {}, kThen};
const UserErased kErased{kUser, "asked", kThen};

TEST(EraseUser, Acts) {
  Spec().given(kRegistered).when(EraseUser{kUser, "asked"}).then(UserErased{kUser, "asked", kNow});
}

TEST(EraseUser, StaysQuietWhenTheUserIsErased) {
  Spec().given(kRegistered).given(kErased).when(EraseUser{kUser}).then_nothing();
}

TEST(EraseUser, NeedsThatUser) {
  Spec().given(kRegistered).when(EraseUser{kOther}).then_refused(ErrorCode::kNotFound);
}

TEST(EraseUser, FreesTheEmail) {
  Spec()
      .given(kRegistered)
      .given(kErased)
      .when(RegisterUser{kOther, "aisha@farm.example", "seed"})
      .then(UserRegistered{kOther, "aisha@farm.example", {}, "seed", {}, kNow});
}

TEST(EraseUser, ClosesTheAccount) {
  const Spec erased = Spec().given(kRegistered).given(kErased);
  Spec(erased).when(AmendUser{kUser, {"grove"}}).then_refused(ErrorCode::kNotFound);
  Spec(erased).when(EnableUser{kUser}).then_refused(ErrorCode::kNotFound);
  Spec(erased).when(MintKey{{}, kUser, {}, {}, {}}).then_refused(ErrorCode::kNotFound);
}

TEST(EraseRecords, Acts) { given_plant().when(EraseRecords{}).then(RecordsErased{kNow}); }

TEST(EraseRecords, StaysQuietWhereNothingIsLeft) {
  Spec().when(EraseRecords{}).then_nothing();
  given_plant().given(RecordsErased{kNow}).when(EraseRecords{}).then_nothing();
}

TEST(EraseRecords, LeavesNoRow) {
  auto owner = given_plant();
  TaskTemplateCreated pruning;
  pruning.id = id<TaskTemplateId>('7');
  WebhookCreated webhook;
  webhook.id = id<WebhookId>('8');
  owner.given(task_created(), pruning, webhook, RecordsErased{kNow});
  for (const auto& [key, value] : owner.kept()) EXPECT_FALSE(value) << key;
}

}  // namespace
}  // namespace tilth::testing
