#include "command/land/farm.h"
#include "command/work/due_rules.h"
#include "command/work/recurring_task.h"
#include "command/work/rule_schedule.h"
#include "command/work/task.h"
#include "command/work/task_template.h"
#include "query/work/recurring_task.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

using std::chrono::days;
using Pattern = RecurrencePattern;

const TaskTemplateId kTemplateId = id<TaskTemplateId>('3');
const TaskTemplateId kOtherTemplateId = id<TaskTemplateId>('4');
const RecurringTaskPath kRule{id<RecurringTaskId>('9')};  // Spec::context.new_id

Timestamp at(std::string_view text) { return parsed<Timestamp>(text); }

TaskTemplateCreated template_created(const TaskTemplateId& of = kTemplateId,
                                     std::optional<FarmId> bound_to = {}, bool active = true) {
  return {{of,
           {},
           {.name = "Walk the rows",
            .farm_id = bound_to,
            .category = TaskCategory::kInspection,
            .default_assignee = "Omar",
            .is_active = active},
           kThen},
          "user_1"};
}
TaskTemplateAmended template_is(bool active) {
  return {kTemplateId, {.is_active = {active}}, kThen};
}

// Every day at 06:30, the time of kNow.
RecurringTaskDetails<Own> daily(std::int64_t days_before = 0) {
  return {.template_id = kTemplateId,
          .pattern = Pattern::kDaily,
          .start_date = kNow,
          .generate_days_before = days_before};
}

// A farm with a template, as time passes.
class Farmer {
 public:
  Farmer() { spec_.given(farm_registered(), template_created()); }

  Spec& spec() { return spec_; }
  template <class Command>
  Farmer& does(const Command& command) {
    spec_.context.now = now_;
    const auto decided = decide(spec_.rows(), command, spec_.context);
    EXPECT_TRUE(decided && *decided) << line(decided);
    if (decided && *decided) spec_.given(**decided);
    return let_fall_due();
  }
  Farmer& rules(const RecurringTaskDetails<Own>& details) {
    return does(CreateRecurringTask{{}, kFarm.farm_id, details});
  }
  Farmer& amends(const RecurringTaskDetails<Patch>& changes) {
    return does(Update<RecurringTask>{kRule, changes});
  }
  Farmer& waits(std::chrono::milliseconds by) { return waits_until({now_.at + by}); }
  Farmer& waits_until(Timestamp to) {
    now_ = to;
    return let_fall_due();
  }
  Timestamp now() const { return now_; }

  std::optional<RecurringTask> rule() { return find(spec_.rows(), kRule); }
  std::string next() {
    const auto found = rule();
    return found && found->next_occurrence ? found->next_occurrence->text() : "none";
  }
  // The due dates of its tasks, in order.
  std::vector<std::string> due() {
    std::vector<std::string> dates;
    for (const auto& task : tasks()) dates.push_back(task.details.due_date->text().substr(0, 10));
    return dates;
  }
  std::vector<Task> tasks() {
    return spec_.rows()
        .list<Task>({}, {.sort = Task::kDueSort, .order = Order::kAscending, .limit = 10'000})
        .rows;
  }

 private:
  Farmer& let_fall_due() {
    for (int parts = 0; parts < 1'000; ++parts) {
      const auto due = decide_due(spec_.rows(), now_);
      if (!due) return *this;
      spec_.given(*due);
    }
    ADD_FAILURE() << "there is always more due";
    return *this;
  }

  Spec spec_;
  Timestamp now_ = kNow;
};

using Dates = std::vector<std::string>;

TEST(CreateRecurringTask, MakesWhatIsDueAtOnce) {
  Farmer farmer;
  farmer.rules(daily(2));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-02", "2026-03-03"}));
  EXPECT_EQ(farmer.next(), "2026-03-04T06:30:00.000Z");
  const auto task = farmer.tasks().front();
  EXPECT_EQ(task.details.title, "Walk the rows");
  EXPECT_EQ(task.details.assigned_to, "Omar");
  EXPECT_EQ(task.details.category, TaskCategory::kInspection);
  EXPECT_EQ(task.recurring_task_id, kRule.recurring_task_id);
  EXPECT_EQ(task.created_by, "user_1");
  EXPECT_EQ(task.created_at, kNow);
}

TEST(CreateRecurringTask, OverridesTheTemplateWhereItSaysSo) {
  auto details = daily();
  details.assigned_to = "Khalid", details.field_name = "Palm grove";
  const auto task = Farmer().rules(details).tasks().front();
  EXPECT_EQ(task.details.assigned_to, "Khalid");
  EXPECT_EQ(task.details.field_name, "Palm grove");
}

TEST(CreateRecurringTask, MakesNothingUpForTheTimeBefore) {
  auto details = daily();
  details.start_date = at("2025-01-01T06:30:00Z");
  Farmer farmer;
  farmer.rules(details);
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01"}));
  farmer = Farmer();
  details.start_date = at("2025-01-01T06:29:59.999Z");
  farmer.rules(details);
  EXPECT_EQ(farmer.due(), Dates{}) << "the first one was due a second ago";
  EXPECT_EQ(farmer.next(), "2026-03-02T06:29:59.000Z");
}

TEST(CreateRecurringTask, NeedsThatFarmAndAnActiveTemplateForIt) {
  const CreateRecurringTask command{{}, kFarm.farm_id, daily()};
  Spec().given(template_created()).when(command).then_refused(ErrorCode::kNotFound);
  given_farm().when(command).then_refused(ErrorCode::kNotFound);
  given_farm()
      .given(template_created(kTemplateId, {}, false))
      .when(command)
      .then_refused(ErrorCode::kNotFound);
  given_farm()
      .given(farm_registered({id<FarmId>('f')}, "Other"),
             template_created(kTemplateId, id<FarmId>('f')))
      .when(command)
      .then_refused(ErrorCode::kNotFound);
}

TEST(CreateRecurringTask, DoesNotEndBeforeItStarts) {
  CreateRecurringTask command{{}, kFarm.farm_id, daily()};
  command.details.start_date = at("2026-03-01T06:30:00.900Z");
  command.details.end_date = at("2026-03-01T06:30:00.100Z");
  Issues issues;
  command.check(issues);
  EXPECT_TRUE(issues.empty()) << "it starts at a whole second";
  command.details.end_date = at("2026-03-01T06:30:00Z");
  command.check(issues);
  EXPECT_TRUE(issues.empty()) << "it may end as it starts";
  command.details.end_date = at("2026-03-01T06:29:59.999Z");
  command.check(issues);
  EXPECT_TRUE(issues.contains("endDate"));
}

// Another rule of the owner, that has just made so many tasks.
RecurringTaskCreated made_many(std::int64_t tasks, Timestamp when = kNow) {
  const auto rule = id<RecurringTaskId>('e');
  RuleSchedule schedule{.makes = TaskDetails<Own>{}};
  for (std::int64_t i = 0; i < tasks; ++i) {
    auto task = id<TaskId>('e');
    task.uuid.bytes[0] = static_cast<std::uint8_t>(i);
    task.uuid.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    schedule.tasks.push_back({task, {when.at + days(1)}});
  }
  return {{rule, {kFarm.farm_id}, daily(), when}, std::move(schedule), "user_1"};
}

TEST(RecurringTasks, MakeSoManyTasksADayOfAnOwner) {
  Farmer farmer;
  farmer.rules(daily());
  farmer.spec().given(made_many(kRuleTasksADay - 2));
  EXPECT_EQ(rule_tasks_left(farmer.spec().rows(), kNow, kRuleTasksADay), 1);
  EXPECT_EQ(rule_tasks_left(farmer.spec().rows(), {kNow.at + days(1)}, kRuleTasksADay),
            kRuleTasksADay);
  EXPECT_EQ(rule_tasks_left(Spec().rows(), kNow, kRuleTasksADay), kRuleTasksADay);
}

TEST(CreateRecurringTask, IsRefusedUntilTomorrowIfItWouldMakeTooManyTasks) {
  Spec spec;
  spec.given(farm_registered(), template_created(), made_many(kRuleTasksADay - 1));
  spec.context.now = kNow;
  const auto refused =
      decide(spec.rows(), CreateRecurringTask{{}, kFarm.farm_id, daily(1)}, spec.context);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kRateLimited);
  EXPECT_EQ(refused.error().retry_after_seconds, 17 * 3'600 + 30 * 60);
  EXPECT_TRUE(decide(spec.rows(), CreateRecurringTask{{}, kFarm.farm_id, daily()}, spec.context));
}

TEST(RecurringTasks, ThatTheDayHasNoTasksLeftForMakeThemTomorrow) {
  Farmer farmer;
  farmer.rules(daily());
  const Timestamp later{kNow.at + days(1) - std::chrono::hours(1)};
  farmer.waits_until(later);
  farmer.spec().given(made_many(kRuleTasksADay, later));
  const auto tasks = [&] { return farmer.spec().rows().count<Task>({}); };
  const auto made = tasks();
  farmer.waits(std::chrono::hours(2));
  EXPECT_EQ(tasks(), made);
  EXPECT_EQ(farmer.next(), "2026-03-02T06:30:00.000Z");
  EXPECT_EQ(farmer.rule()->wakes_at, at("2026-03-03T00:00:00Z"));
  farmer.waits_until(at("2026-03-03T00:00:00Z"));
  EXPECT_EQ(tasks(), made + 1) << "the task of the day before";
  EXPECT_EQ(farmer.next(), "2026-03-03T06:30:00.000Z");
}

TEST(RecurringTasks, ThatAreDueTogetherShareTheTasksOfTheDay) {
  Farmer farmer;
  farmer.rules(daily());
  farmer.spec().context.new_id = id<Uuid>('8');
  farmer.rules(daily());
  const Timestamp later{kNow.at + days(1) - std::chrono::hours(1)};
  farmer.waits_until(later);
  farmer.spec().given(made_many(kRuleTasksADay - 1, later));
  const auto tasks = [&] { return farmer.spec().rows().count<Task>({}); };
  const auto made = tasks();
  farmer.waits(std::chrono::hours(2));
  EXPECT_EQ(tasks(), made + 1);
  farmer.waits_until(at("2026-03-03T00:00:00Z"));
  EXPECT_EQ(tasks(), made + 2) << "that of the other one";
}

TEST(RecurringTasks, ThatAreVisitedTogetherShareTheTasksOfTheDay) {
  Farmer farmer;
  farmer.rules(daily());
  farmer.spec().context.new_id = id<Uuid>('8');
  farmer.rules(daily());
  farmer.does(Update<TaskTemplate>{{kTemplateId}, {.is_active = {false}}}).waits(days(1));
  farmer.spec().given(made_many(kRuleTasksADay - 1, farmer.now()));
  const auto tasks = [&] { return farmer.spec().rows().count<Task>({}); };
  const auto made = tasks();
  farmer.does(Update<TaskTemplate>{{kTemplateId}, {.is_active = {true}}});
  EXPECT_EQ(tasks(), made + 1);
  farmer.waits_until(at("2026-03-03T00:00:00Z"));
  EXPECT_EQ(tasks(), made + 2) << "that of the other one";
}

TEST(UpdateRecurringTask, MayPauseARuleThatTheDayHasNoTasksLeftFor) {
  Farmer farmer;
  farmer.rules(daily());
  farmer.spec().given(made_many(kRuleTasksADay));
  Spec& spec = farmer.spec();
  spec.context.now = kNow;
  const auto ahead = decide(
      spec.rows(), Update<RecurringTask>{kRule, {.generate_days_before = {2}}}, spec.context);
  ASSERT_FALSE(ahead);
  EXPECT_EQ(ahead.error().code, ErrorCode::kRateLimited);
  EXPECT_TRUE(
      decide(spec.rows(), Update<RecurringTask>{kRule, {.is_active = {false}}}, spec.context));
}

TEST(RecurringTasks, ComeRoundAsTimePasses) {
  Farmer farmer;
  farmer.rules(daily()).waits(days(1) - std::chrono::milliseconds(1));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01"}));
  farmer.waits(std::chrono::milliseconds(1));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-02"}));
  EXPECT_EQ(farmer.next(), "2026-03-03T06:30:00.000Z");
  EXPECT_EQ(farmer.rule()->updated_at, kNow) << "only commands update the rule";
}

TEST(RecurringTasks, AreTheSameInOneStepOrInMany) {
  for (const auto days_before : {0, 3, 40}) {
    Farmer small, big;
    small.rules(daily(days_before)), big.rules(daily(days_before));
    for (int hours = 0; hours < 45 * 24; hours += 5) small.waits(std::chrono::hours(5));
    big.waits_until(small.now());
    EXPECT_EQ(small.due(), big.due()) << days_before;
    const auto small_tasks = small.tasks(), big_tasks = big.tasks();
    ASSERT_EQ(small_tasks.size(), big_tasks.size());
    for (std::size_t i = 0; i < small_tasks.size(); ++i) {
      EXPECT_EQ(small_tasks[i].id, big_tasks[i].id);
    }
  }
}

TEST(RecurringTasks, MakeUpForTheNewestFiftyThatWereMissed) {
  Farmer farmer;
  farmer.rules(daily()).waits(days(120));
  const auto due = farmer.due();
  ASSERT_EQ(due.size(), 51U);
  EXPECT_EQ(due[0], "2026-03-01");
  EXPECT_EQ(due[1], "2026-05-11");
  EXPECT_EQ(due[50], "2026-06-29");
}

TEST(RecurringTasks, NeverSkipWhatIsStillToCome) {
  Farmer farmer;
  farmer.rules(daily(90));
  EXPECT_EQ(farmer.due().size(), 91U);
  farmer.waits(days(200));
  EXPECT_EQ(farmer.due().size(), 91U + 91U);
  EXPECT_EQ(farmer.due()[91], "2026-09-17") << "today's";
}

TEST(RecurringTasks, NeverMakeAnythingTwice) {
  Farmer farmer;
  farmer.rules(daily(2)).does(Delete<Task>{{farmer.tasks()[1].id}});
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-03"}));
  farmer.amends({.pattern = {Pattern::kDaily}}).amends({.generate_days_before = {3}});
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-03", "2026-03-04"}))
      << "not even one that was removed";
}

TEST(RecurringTasks, NeverMakeAnythingTwiceThoughTheClockIsSetBack) {
  Farmer farmer;
  farmer.rules(daily()).does(CompleteTask{{farmer.tasks()[0].id}});
  farmer.waits_until({kNow.at - std::chrono::seconds(30)});
  farmer.amends({.interval = {1}});
  EXPECT_EQ(farmer.next(), "2026-03-02T06:30:00.000Z");
  farmer.does(Update<Farm>{kFarm, {.timezone = {TimeZone{"Asia/Riyadh"}}}});
  EXPECT_EQ(farmer.next(), "2026-03-02T06:30:00.000Z");
  farmer.waits_until(kNow);
  ASSERT_EQ(farmer.due(), (Dates{"2026-03-01"}));
  EXPECT_EQ(farmer.tasks()[0].details.status, TaskStatus::kCompleted);
  farmer.does(Delete<Task>{{farmer.tasks()[0].id}});
  farmer.waits_until({kNow.at - std::chrono::hours(23)});
  farmer.amends({.interval = {1}}).waits_until(kNow);
  EXPECT_EQ(farmer.due(), Dates{}) << "not even one that was removed";
}

TEST(RecurringTasks, KeepATaskThatIsThereHoweverFarTheClockIsSetBack) {
  Farmer farmer;
  farmer.rules(daily()).waits(days(5)).does(CompleteTask{{farmer.tasks()[1].id}});
  farmer.waits_until(kNow).amends({.interval = {1}}).waits(days(5));
  EXPECT_EQ(farmer.due().size(), 6U);
  EXPECT_EQ(farmer.tasks()[1].details.status, TaskStatus::kCompleted);
}

TEST(RecurringTasks, RestWhileTheyAreNotActive) {
  Farmer farmer;
  farmer.rules(daily()).amends({.is_active = {false}});
  EXPECT_EQ(farmer.next(), "2026-03-02T06:30:00.000Z");
  farmer.waits(days(3));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01"}));
  EXPECT_EQ(farmer.next(), "2026-03-04T06:30:00.000Z") << "one due right now is not past yet";
  farmer.waits(std::chrono::hours(1)).amends({.is_active = {true}});
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01"}));
  EXPECT_EQ(farmer.next(), "2026-03-05T06:30:00.000Z");
  farmer.waits(days(1));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-05"}));
}

TEST(RecurringTasks, MakeWhatIsDueWhenTheyAreResumed) {
  Farmer farmer;
  farmer.rules(daily(2)).amends({.is_active = {false}}).waits(days(5));
  farmer.amends({.is_active = {true}});
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-02", "2026-03-03", "2026-03-06",
                                 "2026-03-07", "2026-03-08"}));
}

TEST(RecurringTasks, RestWhileTheirTemplateIsInactive) {
  Farmer farmer;
  farmer.rules(daily(1)).does(Update<TaskTemplate>{{kTemplateId}, {.is_active = {false}}});
  farmer.waits(days(4));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-02"}));
  farmer.does(Update<TaskTemplate>{{kTemplateId}, {.is_active = {true}}});
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-02", "2026-03-05", "2026-03-06"}));
  EXPECT_EQ(farmer.next(), "2026-03-07T06:30:00.000Z");
}

TEST(RecurringTasks, MakeWhatTheyMissedSinceTheirTemplateWasResumed) {
  Farmer farmer;
  farmer.rules(daily()).does(Update<TaskTemplate>{{kTemplateId}, {.is_active = {false}}});
  farmer.waits(days(2));
  farmer.spec().given(TaskTemplateAmended{kTemplateId, {.is_active = {true}}, farmer.now()});
  farmer.waits(days(3));
  EXPECT_EQ(farmer.due(),
            (Dates{"2026-03-01", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06"}));
}

TEST(RecurringTasks, MakeWhatTheyMissedSinceTheirFarmChangedZone) {
  Farmer farmer;
  farmer.rules(daily());
  farmer.spec().given(
      FarmAmended{kFarm.farm_id, {.timezone = {TimeZone{"Asia/Riyadh"}}}, farmer.now()});
  farmer.waits(days(2));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-02", "2026-03-03"}));
}

// A farmer whose rules use two global templates, since the template of their own is gone.
class FarmerWithGlobals : public Farmer {
 public:
  FarmerWithGlobals() {
    spec().given(TaskTemplateRemoved{{kTemplateId, kThen}});
    spec().given_reference(template_created(), template_created(kOtherTemplateId));
  }
  // An event of the operator, and the visits that follow; which templates they are of.
  std::string operates(const Event& event) {
    spec().given_reference(event);
    std::string visited;
    for (const auto& visit : visits_after(kReferenceStream, event)) {
      if (!has_to_follow(spec().rows().reference(), visit)) continue;
      does(visit);
      visited += visit.template_id == kTemplateId ? "one " : "other ";
    }
    return visited;
  }
  std::string imports(bool active) {
    TaskTemplatesImported event{{}, now()};
    for (const auto& id : {kTemplateId, kOtherTemplateId}) {
      event.templates.push_back({id, {.name = "Walk the rows", .is_active = active}});
    }
    return operates(event);
  }
  std::string amends_global(const TaskTemplateDetails<Patch>& changes) {
    return operates(TaskTemplateAmended{kTemplateId, changes, now()});
  }
};

TEST(RecurringTasks, MakeWhatIsDueWhenAnImportResumesTheirTemplate) {
  FarmerWithGlobals farmer;
  farmer.rules(daily(1));
  farmer.spec().context.new_id = id<Uuid>('8');
  auto of_the_other = daily(1);
  of_the_other.template_id = kOtherTemplateId;
  farmer.rules(of_the_other);
  EXPECT_EQ(farmer.imports(false), "");
  farmer.waits(days(4));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-01", "2026-03-02", "2026-03-02"}));
  EXPECT_EQ(farmer.imports(true), "one other ");
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-01", "2026-03-02", "2026-03-02",
                                 "2026-03-05", "2026-03-05", "2026-03-06", "2026-03-06"}));
  farmer.waits(std::chrono::hours(1));
  EXPECT_EQ(farmer.imports(true), "") << "they are active";
}

TEST(RecurringTasks, AreVisitedOnceHoweverManyNodesSeeWhatBecameOfTheirTemplate) {
  FarmerWithGlobals farmer;
  farmer.rules(daily(1));
  farmer.amends_global({.is_active = {false}});
  farmer.waits(days(4));
  EXPECT_EQ(farmer.amends_global({.is_active = {true}}), "one ");
  const auto again = [&](RuleVisitReason reason) {
    farmer.spec().when(VisitRulesOfTemplate{kTemplateId, reason, farmer.now()}).then_nothing();
  };
  again(RuleVisitReason::kTemplateResumed);
  EXPECT_EQ(farmer.operates(TaskTemplateRemoved{{kTemplateId, farmer.now()}}), "one ");
  EXPECT_FALSE(farmer.rule()->details.is_active);
  again(RuleVisitReason::kTemplateRemoved);
}

TEST(RecurringTasks, KeepWhatWasPutOffWhenTheirTemplateIsToldToBeActiveOnceMore) {
  FarmerWithGlobals farmer;
  farmer.rules(daily());
  const Timestamp later{kNow.at + days(1) - std::chrono::hours(1)};
  farmer.waits_until(later);
  farmer.spec().given(made_many(kRuleTasksADay, later));
  farmer.waits(std::chrono::hours(2));
  EXPECT_EQ(farmer.next(), "2026-03-02T06:30:00.000Z") << "put off";
  EXPECT_EQ(farmer.amends_global({.is_active = {true}}), "");
  farmer.waits_until(at("2026-03-03T00:00:00Z"));
  EXPECT_EQ(farmer.next(), "2026-03-03T06:30:00.000Z");
  EXPECT_EQ(farmer.rule()->made.back(), at("2026-03-02T06:30:00Z"));
}

// Their owner's stream stood still meanwhile, such as while no node held its cell.
TEST(RecurringTasks, MakeUpForNothingWhileAGlobalTemplateWasInactive) {
  using std::chrono::hours;
  FarmerWithGlobals farmer;
  farmer.rules(daily());
  const auto amended = [&](bool active, Timestamp when) {
    farmer.spec().given_reference(TaskTemplateAmended{kTemplateId, {.is_active = {active}}, when});
  };
  amended(false, {kNow.at + hours(1)});
  amended(true, {kNow.at + days(2) + hours(1)});
  farmer.waits(days(3));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-04"}));
}

TEST(UpdateRecurringTask, DoesNotMakeUpForWhatWasPutOffOnceTheTemplateHasRested) {
  Farmer farmer;
  farmer.rules(daily());
  const Timestamp later{kNow.at + days(1) - std::chrono::hours(1)};
  farmer.waits_until(later);
  farmer.spec().given(made_many(kRuleTasksADay, later), template_created(kOtherTemplateId));
  farmer.waits(std::chrono::hours(2));
  EXPECT_EQ(farmer.next(), "2026-03-02T06:30:00.000Z") << "put off";
  const auto tasks = [&] { return farmer.spec().rows().count<Task>({}); };
  const auto made = tasks();
  farmer.does(Update<TaskTemplate>{{kTemplateId}, {.is_active = {false}}});
  farmer.amends({.template_id = {kOtherTemplateId}});
  EXPECT_EQ(farmer.next(), "2026-03-03T06:30:00.000Z");
  farmer.waits_until(at("2026-03-03T00:00:00Z"));
  EXPECT_EQ(tasks(), made);
}

TEST(RecurringTasks, StopWhenTheirTemplateIsRemoved) {
  Farmer farmer;
  farmer.rules(daily()).waits(std::chrono::hours(1)).does(Delete<TaskTemplate>{{kTemplateId}});
  EXPECT_FALSE(farmer.rule()->details.is_active);
  EXPECT_EQ(farmer.rule()->updated_at, farmer.now());
  EXPECT_EQ(farmer.next(), "2026-03-02T06:30:00.000Z");
  farmer.waits(days(2));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01"}));
  auto& spec = farmer.spec();
  spec.when(Update<RecurringTask>{kRule, {.is_active = {true}}}).then_refused(ErrorCode::kNotFound);
  spec.given(template_created(kOtherTemplateId));
  farmer.amends({.template_id = {kOtherTemplateId}, .is_active = {true}}).waits(days(1));
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-04"}));
}

TEST(RecurringTasks, StopAllOfATemplateHoweverMany) {
  Farmer farmer;
  for (int i = 0; i < 450; ++i) {
    const auto digits = std::to_string(100 + i);
    farmer.spec().context.new_id = parsed<Uuid>("00000000-0000-4000-8000-000000000" + digits);
    farmer.rules(daily());
  }
  farmer.does(Delete<TaskTemplate>{{kTemplateId}});
  const auto active =
      run_query(farmer.spec().rows(), ListRecurringTasks{.is_active = true}, PageRequest{});
  EXPECT_EQ(active->total, 0U);
  EXPECT_EQ(farmer.spec().rows().count<RecurringTask>({}), 450U);
}

TEST(RecurringTasks, GoWithTheirFarm) {
  Farmer farmer;
  farmer.rules(daily()).does(Delete<Farm>{kFarm}).waits(days(2));
  EXPECT_FALSE(farmer.rule());
  EXPECT_EQ(farmer.due(), Dates{});
}

TEST(RecurringTasks, StopWhenTheirTemplateGoesWithAnotherFarm) {
  const FarmPath other{id<FarmId>('f')};
  Farmer farmer;
  farmer.rules(daily());
  farmer.spec().given(farm_registered(other, "Other"),
                      TaskTemplateAmended{kTemplateId, {.farm_id = {other.farm_id}}, kThen});
  farmer.does(Delete<Farm>{other});
  EXPECT_FALSE(farmer.rule()->details.is_active);
}

TEST(RecurringTasks, FollowTheFarmToAnotherZone) {
  Farmer farmer;
  farmer.rules(daily()).does(Update<Farm>{kFarm, {.timezone = {TimeZone{"Asia/Riyadh"}}}});
  EXPECT_EQ(farmer.next(), "2026-03-02T06:30:00.000Z") << "the start is an instant";
  farmer.does(Update<Farm>{kFarm, {.timezone = {TimeZone{"America/New_York"}}}});
  EXPECT_EQ(farmer.rule()->rrule.substr(0, 46), "DTSTART;TZID=America/New_York:20260301T013000\n");
  farmer.waits_until(at("2026-03-09T12:00:00Z"));
  EXPECT_EQ(farmer.tasks().back().details.due_date, at("2026-03-09T05:30:00Z"));
}

TEST(UpdateRecurringTask, MovesOnlyWhatIsStillToCome) {
  Farmer farmer;
  farmer.rules(daily(2));
  farmer.amends({.pattern = {Pattern::kWeekly}});
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01", "2026-03-02", "2026-03-03"}));
  EXPECT_EQ(farmer.next(), "2026-03-08T06:30:00.000Z");
  farmer.amends({.pattern = {Pattern::kDaily}});
  EXPECT_EQ(farmer.next(), "2026-03-04T06:30:00.000Z") << "the first one after now without a task";
}

TEST(UpdateRecurringTask, MovesToAnEarlierDayOfTheMonth) {
  auto details = daily();
  details.pattern = Pattern::kMonthly, details.day_of_month = 15;
  Farmer farmer;
  farmer.rules(details);
  EXPECT_EQ(farmer.next(), "2026-03-15T06:30:00.000Z");
  farmer.amends({.day_of_month = {std::int64_t{10}}});
  EXPECT_EQ(farmer.next(), "2026-03-10T06:30:00.000Z");
}

TEST(UpdateRecurringTask, GoesOnWhereItWasIfItsEndIsMoved) {
  auto details = daily();
  details.end_date = kNow;
  Farmer farmer;
  farmer.rules(details);
  EXPECT_EQ(farmer.next(), "none");
  farmer.waits(days(3)).amends({.end_date = null<Timestamp>()});
  EXPECT_EQ(farmer.next(), "2026-03-05T06:30:00.000Z");
}

TEST(UpdateRecurringTask, StaysQuietWhenTheRequestCarriesNothing) {
  Farmer().rules(daily()).spec().when(Update<RecurringTask>{kRule, {}}).then_nothing();
}

TEST(UpdateRecurringTask, NeedsThatRule) {
  given_farm().when(Update<RecurringTask>{kRule, {}}).then_refused(ErrorCode::kNotFound);
}

TEST(UpdateRecurringTask, DoesNotEndBeforeItStarted) {
  auto spec = Farmer().rules(daily()).spec();
  spec.if_match("\"old\"")
      .when(Update<RecurringTask>{kRule, {.end_date = {at("2026-02-28")}}})
      .then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(spec.refusal().issues.contains("endDate"));
  spec.when(Update<RecurringTask>{kRule, {.field_name = null<std::string>()}})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(UpdateRecurringTask, NeedsAUsableTemplateIfItNamesOne) {
  Farmer farmer;
  farmer.rules(daily()).spec().given(template_created(kOtherTemplateId, {}, false));
  farmer.spec()
      .when(Update<RecurringTask>{kRule, {.template_id = {kOtherTemplateId}}})
      .then_refused(ErrorCode::kNotFound);
  farmer.spec().given(template_is(false));
  farmer.spec()
      .when(Update<RecurringTask>{kRule, {.template_id = {kTemplateId}}})
      .then_refused(ErrorCode::kNotFound);
}

TEST(DeleteRecurringTask, LeavesItsTasks) {
  Farmer farmer;
  farmer.rules(daily()).does(Delete<RecurringTask>{kRule}).waits(days(2));
  EXPECT_FALSE(farmer.rule());
  EXPECT_EQ(farmer.due(), (Dates{"2026-03-01"}));
  farmer.spec().when(Delete<RecurringTask>{kRule}).then_refused(ErrorCode::kNotFound);
}

TEST(ListRecurringTasks, FindsByEachFilter) {
  Farmer farmer;
  farmer.rules(daily());
  const auto total = [&](const ListRecurringTasks& query) {
    return run_query(farmer.spec().rows(), query, PageRequest{})->total;
  };
  EXPECT_EQ(total({.farm_id = kFarm.farm_id, .template_id = kTemplateId}), 1U);
  EXPECT_EQ(total({.pattern = Pattern::kDaily, .is_active = true}), 1U);
  EXPECT_EQ(total({.template_id = kOtherTemplateId}), 0U);
  EXPECT_EQ(total({.pattern = Pattern::kWeekly}), 0U);
  EXPECT_EQ(total({.is_active = false}), 0U);
}

}  // namespace
}  // namespace tilth::testing
