#include "projections/work/recurring_task.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "projections/fold/record_rows.h"
#include "projections/rows/row_codec.h"
#include "projections/work/overdue.h"
#include "projections/work/rule_tasks.h"

namespace tilth {

template struct RowCodec<RecurringTask>;

namespace {

// A clock may be set back, or a node with a slower one may decide next: an occurrence that has
// passed may then seem to come again.
constexpr std::chrono::days kMostSetBack{1};

std::optional<Timestamp> newest_made(const RecurringTask& rule) {
  const auto newest = std::ranges::max_element(rule.made);
  return newest == rule.made.end() ? std::nullopt : std::optional(*newest);
}

// Puts the rule first: the event is about it.
void follow(MutableRows& rows, RecurringTask rule, const RuleSchedule& schedule, Timestamp at) {
  rule.next_occurrence = schedule.next_occurrence;
  rule.wakes_at = schedule.wakes_at;
  rule.rrule = schedule.rrule;
  const auto before = newest_made(rule);
  for (const auto& task : schedule.tasks) rule.made.push_back(task.due_date);
  std::erase_if(rule.made, [&, newest = newest_made(rule)](const auto& made) {
    return made.at <= at.at - kMostSetBack && made != newest;
  });
  rows.put(rule);
  count_rule_tasks(rows, schedule.tasks.size(), at);
  for (const auto& [task_id, due_date] : schedule.tasks) {
    const bool is_later = !before || due_date > *before;
    // It was made by a clock that was further ahead still: the farmer's changes count.
    if (!is_later && rows.find(task_id)) continue;
    Task task{.id = task_id,
              .farm_id = rule.farm_id,
              .details = schedule.makes.value_or(TaskDetails<Own>{}),
              .recurring_task_id = rule.id,
              .created_by = rule.created_by,
              .created_at = at,
              .updated_at = at};
    task.details.due_date = due_date;
    put_aged(rows, std::move(task), at, MutableRows::Former::kNone);
  }
}

void go_on(MutableRows& rows, const RuleVisit& visit, Timestamp at) {
  const auto row = rows.find(Id<RulesToVisit>{visit.of});
  if (!visit.finished) {
    rows.put(RulesToVisit{{visit.of}, visit.reason, visit.visited, row ? row->since : at});
  } else if (row) {
    rows.erase(*row);
  }
}

}  // namespace

void evolve(MutableRows& rows, const RecurringTaskCreated& e) {
  follow(rows,
         {.id = e.id,
          .farm_id = e.where.farm_id,
          .details = e.details,
          .rrule = {},
          .created_by = e.created_by,
          .created_at = e.recorded_at,
          .updated_at = e.recorded_at},
         e.schedule, e.recorded_at);
}

void evolve(MutableRows& rows, const RecurringTaskAmended& e) {
  auto rule = rows.find(e.id);
  if (!rule) return;
  apply(e.changes, rule->details);
  rule->updated_at = e.amended_at;
  follow(rows, std::move(*rule), e.schedule, e.amended_at);
}

void evolve(MutableRows& rows, const RecurringTasksAdvanced& e) {
  for (const auto& [id, schedule] : e.rules) {
    if (auto rule = rows.find(id)) follow(rows, std::move(*rule), schedule, e.advanced_at);
  }
  if (e.visit) go_on(rows, *e.visit, e.advanced_at);
}

void evolve(MutableRows& rows, const RecurringTasksStopped& e) {
  for (const auto& id : e.recurring_task_ids) {
    auto rule = rows.find(id);
    if (!rule) continue;
    rule->details.is_active = false;
    rule->wakes_at = skipped_at(rule->next_occurrence);
    rule->updated_at = e.stopped_at;
    rows.put(*rule);
  }
  go_on(rows, e.visit, e.stopped_at);
}

ResourceRows recurring_task_rows() {
  return {.rows = {row_type<RecurringTask>(), row_type<RulesToVisit>(), row_type<RuleTasks>()},
          .handlers = evolving<RecurringTaskCreated, RecurringTaskAmended, RecurringTaskRemoved,
                               RecurringTasksAdvanced, RecurringTasksStopped>()};
}

}  // namespace tilth
