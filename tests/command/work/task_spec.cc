#include "command/work/task.h"
#include "query/work/task.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

using Status = TaskStatus;

const auto kEarlier = parsed<Timestamp>("2026-01-05T08:00:00Z");
const auto kLater = parsed<Timestamp>("2026-04-05T08:00:00Z");
const TaskPath kOtherTask{id<TaskId>('3')};
const TaskRemoved kTaskRemoved{kTask.task_id, kThen};

CreateTask on_the_farm(const TaskDetails<Own>& details) { return {{}, kFarm.farm_id, details}; }

TaskCreated created(const TaskDetails<Own>& details) {
  auto event = task_created({id<TaskId>('9')}, details);
  event.recorded_at = kNow;
  return event;
}

TaskAmended amended(const TaskDetails<Patch>& changes) { return {kTask.task_id, changes, kNow}; }

// "pending completed 1970-…" as the row shows it.
std::string stage(const Spec& spec, Timestamp now = kNow) {
  const auto task = find(spec.rows(), kTask)->shown(now);
  const auto& completed = task.details.completed_date;
  return std::string(name_of(task.details.status)) + (completed ? " " + completed->text() : "");
}

TEST(CreateTask, Acts) {
  const TaskDetails<Own> details{.title = "Prune",
                                 .priority = TaskPriority::kHigh,
                                 .category = TaskCategory::kMaintenance,
                                 .due_date = kLater,
                                 .assigned_to = "Omar"};
  given_farm().when(on_the_farm(details)).then(created(details));
}

TEST(CreateTask, NeedsTheFarm) {
  Spec().when(on_the_farm({.title = "Prune"})).then_refused(ErrorCode::kNotFound);
}

TEST(CreateTask, LinksWhatIsOnItsFarmWhereverThatLies) {
  const TaskDetails<Own> linked{.title = "Prune",
                                .crop_id = kCrop.crop_id,
                                .field_id = kField.field_id,
                                .block_id = kBlock.block_id};
  given_block().when(on_the_farm(linked)).then(created(linked));
  const FieldPath second{kFarm.farm_id, id<FieldId>('e')};
  const TaskDetails<Own> across{
      .title = "Prune", .field_id = second.field_id, .block_id = kBlock.block_id};
  given_block().given(field_registered(second)).when(on_the_farm(across)).then(created(across));
}

TEST(CreateTask, LinksNothingThatIsMissingOrOnAnotherFarm) {
  const FarmPath other{id<FarmId>('f')};
  const TaskDetails<Own> linked[] = {{.title = "Prune", .crop_id = kCrop.crop_id},
                                     {.title = "Prune", .field_id = kField.field_id},
                                     {.title = "Prune", .block_id = kBlock.block_id}};
  for (const auto& details : linked) {
    given_farm().when(on_the_farm(details)).then_refused(ErrorCode::kNotFound);
    given_block()
        .given(farm_registered(other, "Other"))
        .when(CreateTask{{}, other.farm_id, details})
        .then_refused(ErrorCode::kNotFound);
  }
}

TEST(CreateTask, HasACompletedDateExactlyWhereItIsCompleted) {
  given_farm()
      .when(on_the_farm({.title = "Prune", .status = Status::kCompleted}))
      .then(created({.title = "Prune", .status = Status::kCompleted, .completed_date = kNow}));
  const TaskDetails<Own> told{
      .title = "Prune", .status = Status::kCompleted, .completed_date = kEarlier};
  given_farm().when(on_the_farm(told)).then(created(told));
  given_farm()
      .when(on_the_farm({.title = "Prune", .completed_date = kEarlier}))
      .then(created({.title = "Prune"}));
}

TEST(CreateTask, CannotBeCreatedAsOverdue) {
  Issues issues;
  on_the_farm({.title = "Prune", .status = Status::kOverdue}).check(issues);
  EXPECT_TRUE(issues.contains("status"));
}

TEST(UpdateTask, ActsAlsoWhenItIsSoAlready) {
  const TaskDetails<Patch> changes{.title = {"Prune"}, .notes = null<std::string>()};
  given_task().when(Update<Task>{kTask, changes}).then(amended(changes));
}

TEST(UpdateTask, StaysQuietWhenTheRequestCarriesNothing) {
  given_task().when(Update<Task>{kTask, {}}).then_nothing();
}

TEST(UpdateTask, NeedsThatTaskItsLinksAndIfMatchToHold) {
  given_task().when(Update<Task>{kOtherTask, {}}).then_refused(ErrorCode::kNotFound);
  given_task().given(kTaskRemoved).when(Update<Task>{kTask, {}}).then_refused(ErrorCode::kNotFound);
  given_task()
      .when(Update<Task>{kTask, {.crop_id = {kCrop.crop_id}}})
      .then_refused(ErrorCode::kNotFound);
  given_task()
      .if_match("\"old\"")
      .when(Update<Task>{kTask, {.title = {"x"}}})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(UpdateTask, RepeatsALinkThatIsThereWhateverBecameOfIt) {
  const TaskDetails<Own> linked{.title = "Prune",
                                .crop_id = kCrop.crop_id,
                                .field_id = kField.field_id,
                                .block_id = kBlock.block_id};
  auto spec =
      given_block().given(task_created(kTask, linked), FieldRemoved{kField.field_id, kThen});
  const TaskDetails<Patch> same{
      .crop_id = {kCrop.crop_id}, .field_id = {kField.field_id}, .block_id = {kBlock.block_id}};
  spec.when(Update<Task>{kTask, same}).then(amended(same));
  spec.when(Update<Task>{kTask, {.crop_id = {id<CropId>('e')}}}).then_refused(ErrorCode::kNotFound);
}

TEST(UpdateTask, ThatBecomesCompletedWasCompletedNowUnlessToldWhen) {
  given_task()
      .when(Update<Task>{kTask, {.status = {Status::kCompleted}}})
      .then(amended({.status = {Status::kCompleted}, .completed_date = {kNow}}));
  const TaskDetails<Patch> told{.status = {Status::kCompleted}, .completed_date = {kEarlier}};
  given_task().when(Update<Task>{kTask, told}).then(amended(told));
  const TaskDetails<Patch> nulled{.status = {Status::kCompleted},
                                  .completed_date = null<Timestamp>()};
  given_task()
      .when(Update<Task>{kTask, nulled})
      .then(amended({.status = {Status::kCompleted}, .completed_date = {kNow}}));
}

TEST(UpdateTask, ThatLeavesCompletionForgetsWhenItWas) {
  const TaskDetails<Own> done{
      .title = "Prune", .status = Status::kCompleted, .completed_date = kEarlier};
  given_task(done)
      .when(Update<Task>{kTask, {.status = {Status::kCancelled}, .completed_date = {kLater}}})
      .then(amended({.status = {Status::kCancelled}, .completed_date = null<Timestamp>()}));
  given_task(done)
      .when(Update<Task>{kTask, {.status = {Status::kCompleted}}})
      .then(amended({.status = {Status::kCompleted}}));
}

TEST(UpdateTask, TakesACompletedDateOnlyWhereItFits) {
  const TaskDetails<Own> done{
      .title = "Prune", .status = Status::kCompleted, .completed_date = kEarlier};
  given_task(done)
      .when(Update<Task>{kTask, {.completed_date = {kLater}}})
      .then(amended({.completed_date = {kLater}}));
  given_task(done).when(Update<Task>{kTask, {.completed_date = null<Timestamp>()}}).then_nothing();
  given_task().when(Update<Task>{kTask, {.completed_date = {kLater}}}).then_nothing();
}

TEST(UpdateTask, MayRepeatThatItIsOverdueWhichLeavesWhatIsStored) {
  const Update<Task> command{kTask, {.status = {Status::kOverdue}}};
  given_task({.title = "Prune", .due_date = kNow}).when(command).then(amended({}));
  auto not_yet = given_task({.title = "Prune", .due_date = kLater});
  not_yet.when(command).then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(not_yet.refusal().issues.contains("status"));
  given_task().when(command).then_refused(ErrorCode::kInvalid);
  given_task({.title = "Prune", .status = Status::kCancelled, .due_date = kNow})
      .when(command)
      .then_refused(ErrorCode::kInvalid);
}

TEST(CompleteTask, SetsTheDateOnceAndKeepsTheEvidence) {
  CompleteTask with_a_photo{kTask};
  with_a_photo.photo_url = {Url{"https://photos.example/1.jpg"}};
  TaskCompleted first{.task_id = kTask.task_id, .completed_date = kNow, .amended_at = kNow};
  given_task().when(CompleteTask{kTask}).then(first);
  first.photo_url = with_a_photo.photo_url;
  given_task().when(with_a_photo).then(first);
  auto again = first;
  again.completed_date = kEarlier;
  given_task({.title = "Prune", .status = Status::kCompleted, .completed_date = kEarlier})
      .when(with_a_photo)
      .then(again);
}

TEST(CompleteTask, StaysQuietTheSecondTimeWithoutEvidence) {
  given_task({.title = "Prune", .status = Status::kCompleted, .completed_date = kEarlier})
      .when(CompleteTask{kTask})
      .then_nothing();
}

TEST(CompleteTask, NeedsThatTask) {
  given_farm().when(CompleteTask{kTask}).then_refused(ErrorCode::kNotFound);
}

TEST(RescheduleTask, ActsInAnyStatus) {
  for (const auto status : {Status::kPending, Status::kCompleted, Status::kCancelled}) {
    given_task({.title = "Prune", .status = status, .completed_date = kEarlier})
        .when(RescheduleTask{kTask, kLater})
        .then(TaskRescheduled{kTask.task_id, kLater, kNow});
  }
}

TEST(RescheduleTask, NeedsThatTaskAndIfMatchToHold) {
  given_farm().when(RescheduleTask{kTask, kLater}).then_refused(ErrorCode::kNotFound);
  given_task()
      .if_match("\"old\"")
      .when(RescheduleTask{kTask, kLater})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeleteTask, HappensOnce) {
  given_task().when(Delete<Task>{kTask}).then(TaskRemoved{kTask.task_id, kNow});
  given_task().given(kTaskRemoved).when(Delete<Task>{kTask}).then_refused(ErrorCode::kNotFound);
}

TEST(TaskRows, ShowWhatCompletionLeft) {
  auto spec = given_task().given(TaskCompleted{.task_id = kTask.task_id,
                                               .gps_lat = {24.5},
                                               .completion_notes = {"Done."},
                                               .completed_date = kEarlier,
                                               .amended_at = kThen});
  EXPECT_EQ(stage(spec), "completed " + kEarlier.text());
  EXPECT_EQ(find(spec.rows(), kTask)->details.completion_notes, "Done.");
  spec.given(TaskCompleted{.task_id = kTask.task_id,
                           .completion_notes = null<std::string>(),
                           .completed_date = kEarlier,
                           .amended_at = kNow});
  const auto task = find(spec.rows(), kTask);
  EXPECT_EQ(task->details.completion_notes, std::nullopt);
  EXPECT_EQ(task->details.gps_lat, 24.5);
  EXPECT_EQ(task->updated_at, kNow);
}

TEST(TaskRows, AreOverdueFromTheInstantOnAtWhichAnOpenTaskIsDue) {
  const auto just_before = Timestamp{kNow.at - std::chrono::milliseconds(1)};
  for (const auto status : {Status::kPending, Status::kInProgress}) {
    const auto spec = given_task({.title = "Prune", .status = status, .due_date = kNow});
    EXPECT_EQ(stage(spec, just_before), name_of(status));
    EXPECT_EQ(stage(spec, kNow), "overdue");
  }
  EXPECT_EQ(stage(given_task({.title = "x", .status = Status::kCancelled, .due_date = kThen})),
            "cancelled");
}

TEST(TaskRows, OutliveTheirCropFieldAndBlockButNotTheirFarm) {
  const auto linked = task_created(kTask, {.title = "Prune", .crop_id = kCrop.crop_id});
  auto spec = given_block().given(linked, FieldRemoved{kField.field_id, kThen});
  EXPECT_EQ(find(spec.rows(), kTask)->details.crop_id, kCrop.crop_id);
  const FarmPath other{id<FarmId>('f')};
  spec.given(farm_registered(other, "Other"), task_created(kOtherTask, {.title = "x"}, other),
             FarmRemoved{kFarm.farm_id, kThen});
  EXPECT_EQ(spec.kept(), Spec()
                             .given(farm_registered(other, "Other"),
                                    task_created(kOtherTask, {.title = "x"}, other))
                             .kept());
}

}  // namespace
}  // namespace tilth::testing
