#include "command/work/task_template.h"
#include "query/work/task_template.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const TaskTemplatePath kTemplate{id<TaskTemplateId>('3')};
const TaskTemplatePath kOtherTemplate{id<TaskTemplateId>('4')};
const TaskTemplateRemoved kTemplateRemoved{kTemplate.template_id, kThen};

const TaskTemplateDetails<Own> kPruning{.name = "Prune",
                                        .description = "Old fronds first.",
                                        .category = TaskCategory::kMaintenance,
                                        .priority = TaskPriority::kHigh,
                                        .estimated_duration = "2 hours",
                                        .default_assignee = "Omar"};

TaskTemplateDetails<Own> bound(TaskTemplateDetails<Own> details = kPruning) {
  details.farm_id = kFarm.farm_id;
  return details;
}

TaskTemplateCreated template_created(const TaskTemplateDetails<Own>& details = kPruning,
                                     const TaskTemplatePath& at = kTemplate) {
  return {{at.template_id, {}, details, kThen}, "user_1"};
}

Spec given_template(const TaskTemplateDetails<Own>& details = kPruning) {
  return given_farm().given(template_created(details));
}

TaskCreated applied(TaskDetails<Own> details) {
  auto event = task_created({id<TaskId>('9')}, std::move(details));
  event.template_id = kTemplate.template_id;
  event.recorded_at = kNow;
  return event;
}

const TaskDetails<Own> kPlain{.title = "Prune",
                              .description = "Old fronds first.",
                              .priority = TaskPriority::kHigh,
                              .category = TaskCategory::kMaintenance,
                              .assigned_to = "Omar",
                              .estimated_duration = "2 hours"};

TEST(CreateTaskTemplate, ActsWithAFarmOfTheOwnerOrNone) {
  for (const auto& details : {kPruning, bound()}) {
    given_farm()
        .when(CreateTaskTemplate{{}, details})
        .then(TaskTemplateCreated{{id<TaskTemplateId>('9'), {}, details, kNow}, "user_1"});
  }
  Spec().when(CreateTaskTemplate{{}, bound()}).then_refused(ErrorCode::kNotFound);
}

TEST(UpdateTaskTemplate, ActsAlsoWhenItIsSoAlready) {
  const TaskTemplateDetails<Patch> changes{.name = {"Prune"}, .farm_id = {kFarm.farm_id}};
  given_template()
      .when(Update<TaskTemplate>{kTemplate, changes})
      .then(TaskTemplateAmended{kTemplate.template_id, changes, kNow});
}

TEST(UpdateTaskTemplate, StaysQuietWhenTheRequestCarriesNothing) {
  given_template().when(Update<TaskTemplate>{kTemplate, {}}).then_nothing();
}

TEST(UpdateTaskTemplate, NeedsThatTemplateAFarmThatIsThereAndIfMatchToHold) {
  given_template()
      .when(Update<TaskTemplate>{kOtherTemplate, {}})
      .then_refused(ErrorCode::kNotFound);
  given_template()
      .given(kTemplateRemoved)
      .when(Update<TaskTemplate>{kTemplate, {}})
      .then_refused(ErrorCode::kNotFound);
  given_template()
      .when(Update<TaskTemplate>{kTemplate, {.farm_id = {id<FarmId>('f')}}})
      .then_refused(ErrorCode::kNotFound);
  given_template()
      .if_match("\"old\"")
      .when(Update<TaskTemplate>{kTemplate, {}})
      .then_refused(ErrorCode::kPreconditionFailed);
}

TEST(DeleteTaskTemplate, HappensOnce) {
  given_template()
      .when(Delete<TaskTemplate>{kTemplate})
      .then(TaskTemplateRemoved{kTemplate.template_id, kNow});
  given_template()
      .given(kTemplateRemoved)
      .when(Delete<TaskTemplate>{kTemplate})
      .then_refused(ErrorCode::kNotFound);
}

TEST(ApplyTemplate, TakesAllThatTheRequestDoesNotSay) {
  given_template(bound()).when(ApplyTemplate{kTemplate}).then(applied(kPlain));
  given_template().when(ApplyTemplate{kTemplate, kFarm.farm_id}).then(applied(kPlain));
}

TEST(ApplyTemplate, LetsTheRequestOverrideEverythingAndNullClearWhatMayBeNull) {
  const TaskOverrides overrides{.title = {"Cut"},
                                .description = null<std::string>(),
                                .priority = {TaskPriority::kLow},
                                .due_date = {kNow},
                                .start_date = {kThen},
                                .assigned_to = null<std::string>(),
                                .field_name = {"Grove"},
                                .estimated_duration = {"1 day"},
                                .notes = {"Soon."}};
  given_template(bound())
      .when(ApplyTemplate{kTemplate, {}, overrides})
      .then(applied({.title = "Cut",
                     .priority = TaskPriority::kLow,
                     .category = TaskCategory::kMaintenance,
                     .due_date = kNow,
                     .start_date = kThen,
                     .field_name = "Grove",
                     .estimated_duration = "1 day",
                     .notes = "Soon."}));
}

TEST(ApplyTemplate, PutsTheTaskOnTheFarmThatTheRequestNames) {
  const FarmPath second{id<FarmId>('f')};
  auto event = applied(kPlain);
  event.where.farm_id = second.farm_id;
  given_template(bound())
      .given(farm_registered(second, "Second"))
      .when(ApplyTemplate{kTemplate, second.farm_id})
      .then(event);
}

TEST(ApplyTemplate, NeedsAFarm) {
  auto without = given_template();
  without.when(ApplyTemplate{kTemplate}).then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(without.refusal().issues.contains("farmId"));
  given_template()
      .when(ApplyTemplate{kTemplate, id<FarmId>('f')})
      .then_refused(ErrorCode::kNotFound);
}

TEST(ApplyTemplate, NeedsATemplateThatIsActive) {
  auto inactive = bound();
  inactive.is_active = false;
  given_template(inactive).when(ApplyTemplate{kTemplate}).then_refused(ErrorCode::kNotFound);
  given_farm().when(ApplyTemplate{kTemplate}).then_refused(ErrorCode::kNotFound);
}

// Global templates.
Spec given_global() { return Spec(kReferenceStream).given(template_created()); }

ImportTaskTemplates document(std::vector<TaskTemplateDetails<Patch>> templates) {
  return {std::move(templates)};
}

TEST(CreateTaskTemplate, OfAnOperatorIsGlobalAndBoundToNoFarm) {
  Spec(kReferenceStream)
      .when(CreateTaskTemplate{{}, bound()})
      .then(TaskTemplateCreated{{id<TaskTemplateId>('9'), {}, kPruning, kNow}, "operator"});
  EXPECT_TRUE(find(given_global().rows(), kTemplate)->is_global);
  given_global().when(Update<TaskTemplate>{kTemplate, {.farm_id = {kFarm.farm_id}}}).then_nothing();
}

TEST(ApplyTemplate, TakesAGlobalOneToo) {
  auto spec = given_farm().given_reference(template_created());
  spec.when(ApplyTemplate{kTemplate, kFarm.farm_id}).then(applied(kPlain));
  spec.when(Update<TaskTemplate>{kTemplate, {}}).then_refused(ErrorCode::kNotFound);
  spec.when(Delete<TaskTemplate>{kTemplate}).then_refused(ErrorCode::kNotFound);
}

TEST(ImportTaskTemplates, AddsWhatIsNewAndChangesWhatIsDifferent) {
  given_global()
      .when(document({{.name = {"PRUNE"}, .description = null<std::string>()},
                      {.name = {"Pick"}, .category = {TaskCategory::kHarvesting}}}))
      .then(TaskTemplatesImported{{{kTemplate.template_id,
                                    {.name = "PRUNE",
                                     .category = TaskCategory::kMaintenance,
                                     .priority = TaskPriority::kHigh,
                                     .estimated_duration = "2 hours",
                                     .default_assignee = "Omar"}},
                                   {parsed<TaskTemplateId>("00000000-0000-4000-8000-00000000000a"),
                                    {.name = "Pick", .category = TaskCategory::kHarvesting}}},
                                  kNow});
}

TEST(ImportTaskTemplates, BindsNothingToAFarm) {
  given_global().when(document({{.name = {"Prune"}, .farm_id = {kFarm.farm_id}}})).then_nothing();
  Spec(kReferenceStream)
      .when(document({{.name = {"Pick"},
                       .farm_id = {kFarm.farm_id},
                       .category = {TaskCategory::kHarvesting}}}))
      .then(TaskTemplatesImported{
          {{id<TaskTemplateId>('9'), {.name = "Pick", .category = TaskCategory::kHarvesting}}},
          kNow});
}

TEST(ImportTaskTemplates, StaysQuietWhenAllOfItIsSoAlready) {
  given_global().when(document({{.name = {"Prune"}}})).then_nothing();
  given_global().when(document({})).then_nothing();
}

TEST(ImportTaskTemplates, NeedsACategoryForWhatIsNew) {
  auto spec = given_global();
  spec.when(document({{.name = {"Prune"}}, {.name = {"Pick"}}})).then_refused(ErrorCode::kInvalid);
  EXPECT_TRUE(spec.refusal().issues.contains("templates.1.category"));
}

TEST(ImportTaskTemplates, NeedsANameForEachAndEachOnce) {
  Issues issues;
  document({{.name = {"Prune"}}, {}, {.name = {"pRUNE"}}}).check(issues);
  EXPECT_EQ(issues.size(), 2U);
  EXPECT_TRUE(issues.contains("templates.1.name"));
  EXPECT_TRUE(issues.contains("templates.2.name"));
}

TEST(TaskTemplateRows, ThatAreImportedKeepWhenTheyCameIn) {
  auto spec =
      given_global().given(TaskTemplatesImported{{{kTemplate.template_id, {.name = "Cut"}}}, kNow});
  const auto row = find(spec.rows(), kTemplate);
  EXPECT_EQ(row->details.name, "Cut");
  EXPECT_EQ(row->created_at, kThen);
  EXPECT_EQ(row->updated_at, kNow);
}

TEST(TaskTemplateRows, ThatAreImportedKeepWhenTheyWereResumed) {
  auto spec = given_global();
  const auto is_active = [&](bool active, Timestamp when) {
    spec.given(TaskTemplateAmended{kTemplate.template_id, {.is_active = {active}}, when});
  };
  const auto imported = [&](bool active, Timestamp when) {
    spec.given(TaskTemplatesImported{
        {{kTemplate.template_id, {.name = "Cut", .is_active = active}}}, when});
    return find(spec.rows(), kTemplate)->resumed_at;
  };
  const Timestamp later{kNow.at + std::chrono::hours(1)};
  EXPECT_EQ(imported(true, kThen), std::nullopt);
  is_active(false, kThen), is_active(true, kNow);
  EXPECT_EQ(imported(true, later), kNow);
  EXPECT_EQ(imported(false, later), kNow);
  EXPECT_EQ(imported(true, later), later);
}

TEST(TaskTemplateRows, AreListedWithTheGlobalActiveOnes) {
  auto spec = given_template(bound()).given_reference(template_created(kPruning, kOtherTemplate));
  const auto ids = [&](const ListTaskTemplates& query) {
    std::string text;
    const auto listed = run_query(spec.rows(), query, {.sort = 1});
    for (const auto& row : listed->rows) text += row.id.text().back();
    return text + " " + std::to_string(listed->total);
  };
  EXPECT_EQ(ids({}), "43 2");
  EXPECT_EQ(ids({.include_global = false}), "3 1");
  EXPECT_EQ(ids({.farm_id = kFarm.farm_id}), "43 2");
  EXPECT_EQ(ids({.farm_id = id<FarmId>('f')}), "4 1");
  EXPECT_EQ(ids({.is_active = false}), " 0");
  EXPECT_EQ(ids({.category = TaskCategory::kOther}), " 0");
  spec.given_reference(
      TaskTemplateAmended{kOtherTemplate.template_id, {.is_active = {false}}, kNow});
  EXPECT_EQ(ids({}), "3 1");
  EXPECT_TRUE(find(spec.rows(), kOtherTemplate));
}

TEST(TaskTemplateRows, GoWithTheFarmThatTheyAreBoundTo) {
  const auto spec = given_template(bound()).given(template_created(kPruning, kOtherTemplate),
                                                  FarmRemoved{kFarm.farm_id, kThen});
  EXPECT_EQ(spec.kept(), Spec().given(template_created(kPruning, kOtherTemplate)).kept());
}

}  // namespace
}  // namespace tilth::testing
