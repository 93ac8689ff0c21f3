#include "tests/simulation/work_wishes.h"

#include <chrono>
#include <utility>

#include "command/work/recurring_task.h"
#include "command/work/task.h"
#include "command/work/task_template.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;
using Known = KnownRecords;

TaskTemplateId a_template(const Chooser& chooser) {
  const auto& global = chooser.reference().templates;
  const bool is_global =
      !global.empty() && (chooser.known().templates.empty() || chooser.once_in(3));
  return is_global ? chooser.one_of_all(&Known::templates) : chooser.one_of(&Known::templates);
}

bool knows_a_template(const Chooser& chooser) {
  return !chooser.known().templates.empty() || !chooser.reference().templates.empty();
}

Wish an_amended_task(const Chooser& chooser, const TaskPath& at) {
  Update<Task> update{at, {}};
  auto& changes = update.changes;
  chooser.maybe(changes.title, [&] { return chooser.name(); });
  chooser.maybe(changes.status, [&] {
    using enum TaskStatus;
    return chooser.any({kPending, kInProgress, kCompleted, kCompleted, kCancelled, kOverdue});
  });
  chooser.maybe(changes.priority, [&] {
    return chooser.any({TaskPriority::kLow, TaskPriority::kUrgent});
  });
  chooser.maybe_null(changes.due_date, [&] { return chooser.soon(); });
  chooser.maybe_null(changes.completed_date, [&] { return chooser.now(); });
  chooser.maybe_null(changes.assigned_to, [&] { return chooser.name(); });
  chooser.maybe_null(changes.field_id, [&] { return chooser.one_of(&Known::fields).field_id; });
  chooser.maybe_null(changes.crop_id, [&] { return chooser.one_of(&Known::crops).id; });
  chooser.maybe_null(changes.block_id, [&] { return chooser.one_of(&Known::blocks).block_id; });
  return wish_to_amend<Task>(chooser, std::move(update));
}

Wish a_completed_task(const Chooser& chooser, const TaskPath& at) {
  CompleteTask complete{at};
  chooser.maybe_null(complete.notes, [&] { return chooser.name(); });
  return wish_to_change<Task>(std::move(complete));
}

RecurrencePattern a_pattern(const Chooser& chooser) {
  using enum RecurrencePattern;
  return chooser.any({kDaily, kDaily, kWeekly, kMonthly, kYearly, kCustom});
}

}  // namespace

Wish a_new_task(const Chooser& chooser, bool is_due_soon) {
  CreateTask create{{}, chooser.one_of(&Known::farms), {}};
  auto& task = create.details;
  task.title = chooser.name();
  if (is_due_soon || chooser.once_in(4)) {
    task.due_date = chooser.soon();
  } else if (chooser.once_in(3)) {
    task.due_date = Timestamp{chooser.now().at + 2h};
  }
  if (chooser.once_in(6)) {
    task.status = chooser.any({TaskStatus::kCompleted, TaskStatus::kCancelled});
  }
  if (task.status == TaskStatus::kCompleted && chooser.once_in(2)) {
    task.completed_date = task.due_date;
  }
  using enum TaskPriority;
  task.priority = chooser.any({kLow, kMedium, kHigh, kUrgent});
  if (chooser.once_in(2)) task.category = TaskCategory::kIrrigation;
  if (!chooser.known().fields.empty() && chooser.once_in(2)) {
    task.field_id = chooser.one_of(&Known::fields).field_id;
  }
  if (!chooser.known().crops.empty() && chooser.once_in(4)) {
    task.crop_id = chooser.one_of(&Known::crops).id;
  }
  if (!chooser.known().blocks.empty() && chooser.once_in(4)) {
    task.block_id = chooser.one_of(&Known::blocks).block_id;
  }
  return wish_for(std::move(create));
}

Wish a_changed_task(const Chooser& chooser) {
  const TaskPath at{chooser.one_of(&Known::tasks)};
  switch (chooser.world().below(4)) {
    case 0:
      return a_completed_task(chooser, at);
    case 1:
      return wish_to_amend<Task>(chooser, RescheduleTask{at, chooser.soon()});
    default:
      return an_amended_task(chooser, at);
  }
}

Wish a_removed_task(const Chooser& chooser) {
  return wish_to_remove<Task>(chooser, {chooser.one_of(&Known::tasks)});
}

Wish a_new_rule(const Chooser& chooser) {
  if (!knows_a_template(chooser)) return a_new_template(chooser);
  CreateRecurringTask create{{}, chooser.one_of(&Known::farms), {}};
  auto& rule = create.details;
  rule.template_id = a_template(chooser);
  rule.pattern = a_pattern(chooser);
  rule.start_date = Timestamp{chooser.soon().at - (chooser.once_in(4) ? 30h : 24h)};
  if (chooser.once_in(6)) rule.end_date = chooser.soon();
  if (chooser.once_in(6)) rule.generate_days_before = 2;
  return wish_for(std::move(create));
}

Wish a_changed_rule(const Chooser& chooser) {
  const RecurringTaskPath at{chooser.one_of(&Known::rules)};
  if (chooser.once_in(4)) return wish_to_remove<RecurringTask>(chooser, at);
  Update<RecurringTask> update{at, {}};
  auto& changes = update.changes;
  chooser.maybe(changes.is_active, [&] { return chooser.once_in(2); });
  chooser.maybe(changes.pattern, [&] { return a_pattern(chooser); });
  chooser.maybe(changes.start_date, [&] { return Timestamp{chooser.soon().at - 24h}; });
  chooser.maybe_null(changes.end_date, [&] {
    return chooser.once_in(2) ? chooser.soon() : Timestamp{chooser.now().at - 48h};
  });
  if (chooser.once_in(4)) changes.template_id.to = a_template(chooser);
  if (chooser.once_in(4)) changes.generate_days_before.to = chooser.any({0, 1, 3});
  return wish_to_amend<RecurringTask>(chooser, std::move(update));
}

Wish a_new_template(const Chooser& chooser) {
  CreateTaskTemplate create{{}, {.name = chooser.name()}};
  if (!chooser.known().farms.empty() && chooser.once_in(4)) {
    create.details.farm_id = chooser.one_of(&Known::farms);
  }
  return wish_for(std::move(create));
}

Wish a_changed_template(const Chooser& chooser) {
  const TaskTemplatePath at{chooser.one_of(&Known::templates)};
  if (chooser.once_in(4)) return wish_to_remove<TaskTemplate>(chooser, at);
  Update<TaskTemplate> update{at, {}};
  auto& changes = update.changes;
  if (!chooser.once_in(3)) changes.is_active.to = chooser.once_in(2);
  chooser.maybe(changes.name, [&] { return chooser.name(); });
  if (!chooser.known().farms.empty() && chooser.once_in(4)) {
    changes.farm_id.to =
        chooser.once_in(2) ? std::nullopt : std::optional(chooser.one_of(&Known::farms));
  }
  return wish_to_amend<TaskTemplate>(chooser, std::move(update));
}

Wish an_applied_template(const Chooser& chooser) {
  ApplyTemplate apply{.at = {a_template(chooser)}};
  if (!chooser.once_in(4)) apply.farm_id = chooser.one_of(&Known::farms);
  if (chooser.once_in(2)) apply.overrides.due_date.to = chooser.soon();
  return wish_for(std::move(apply));
}

}  // namespace tilth::testing
