#include "command/access/erasure.h"
#include "command/access/user.h"
#include "events/access/erasure.h"
#include "projections/work/rule_tasks.h"
#include "projections/work/rule_visits.h"
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

TEST(EraseRecords, ActsWhateverIsAllThatIsLeft) {
  TaskTemplateCreated pruning;
  pruning.id = id<TaskTemplateId>('7');
  WebhookCreated webhook;
  webhook.id = id<WebhookId>('8');
  const UserCropAdded wish{id<UserCropId>('9'), {id<AdminCropId>('1'), "Dates"}};
  for (const auto& only : {Spec().given(farm_registered()), Spec().given(pruning),
                           Spec().given(wish), Spec().given(webhook)}) {
    Spec(only).when(EraseRecords{}).then(RecordsErased{kNow});
  }
}

TEST(EraseRecords, ActsOnWhatAGoneRuleLeaves) {
  TaskTemplateCreated pruning;
  pruning.id = id<TaskTemplateId>('7');
  RecurringTaskCreated rule;
  rule.id = id<RecurringTaskId>('5'), rule.where = {kFarm.farm_id}, rule.recorded_at = kThen;
  rule.details.template_id = pruning.id;
  const FarmRemoved gone{kFarm.farm_id, kThen};
  auto to_visit = given_farm().given(pruning, rule, TaskTemplateRemoved{pruning.id, kThen}, gone);
  EXPECT_EQ(to_visit.rows().count<RulesToVisit>({}), 1U);
  to_visit.when(EraseRecords{}).then(RecordsErased{kNow});

  rule.schedule.makes = TaskDetails<Own>{};
  rule.schedule.tasks = {{kTask.task_id, kNow}};
  auto made = given_farm().given(rule, gone);
  EXPECT_EQ(made.rows().count<RuleTasks>({}), 1U);
  made.when(EraseRecords{}).then(RecordsErased{kNow});
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
