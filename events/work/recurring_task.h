// Details and events of a recurring task: a rule that creates tasks.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/land/location.h"
#include "events/work/recurrence.h"
#include "events/work/task_template.h"

namespace tilth {

template <template <class> class As>
struct RecurringTaskDetails {
  As<TaskTemplateId> template_id = {};
  As<RecurrencePattern> pattern = {};
  As<std::int64_t> interval = initially<As>(std::int64_t{1});
  As<std::optional<DaysOfWeek>> days_of_week = {};
  As<std::optional<std::int64_t>> day_of_month = {};
  As<std::optional<std::int64_t>> month_of_year = {};
  As<Timestamp> start_date = {};
  As<std::optional<Timestamp>> end_date = {};
  As<std::int64_t> generate_days_before = initially<As>(std::int64_t{0});
  As<std::optional<std::string>> assigned_to = {};
  As<std::optional<std::string>> field_name = {};
  As<bool> is_active = initially<As>(true);

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    constexpr bool kRequired = kWhole<As>;
    return ar(
        member("templateId", template_id, {.required = kRequired}),
        member("pattern", pattern,
               {.required = kRequired, .doc = "custom is every interval days."}),
        member("interval", interval, {.min = 1, .max = 365}),
        member("daysOfWeek", days_of_week, {.doc = "0 is Sunday. Of weekly; else startDate's."}),
        member(
            "dayOfMonth", day_of_month,
            {.min = 1, .max = 31, .doc = "Of monthly and yearly; a month without it: its last."}),
        member("monthOfYear", month_of_year, {.min = 1, .max = 12, .doc = "Of yearly."}),
        member("startDate", start_date,
               {.required = kRequired, .doc = "Gives the wall time; cut to whole seconds."}),
        member("endDate", end_date, {.doc = "The last possible occurrence."}),
        member("generateDaysBefore", generate_days_before,
               {.min = 0, .max = 90, .doc = "Local days before an occurrence its task is made."}),
        member("assignedTo", assigned_to, {.max_length = 200}),
        member("fieldName", field_name, {.max_length = 200}), member("isActive", is_active));
  }
};

// A task that a rule creates. Its id is derived from the rule and the occurrence.
struct TaskOfRule {
  TaskId task_id;
  Timestamp due_date;  // the occurrence

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("taskId", task_id), member("dueDate", due_date));
  }
};

// The schedule of a rule. It is decided and stored, since it depends on the tz database.
struct RuleSchedule {
  std::optional<Timestamp> next_occurrence = {};  // the first without a task
  std::optional<Timestamp> wakes_at = {};         // when its task is created, or it is skipped
  std::string rrule = {};
  std::optional<TaskDetails<Own>> makes = {};  // without the dueDate
  std::vector<TaskOfRule> tasks = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("nextOccurrence", next_occurrence), member("wakesAt", wakes_at),
       member("rrule", rrule), member("makes", makes), member("tasks", tasks));
  }
};

// Stored forever: a new shape needs a new version with an upcast(). Holds the tasks that are due.
struct RecurringTaskCreated : Recorded<RecurringTask, OnFarm, RecurringTaskDetails<Own>> {
  static constexpr EventType kType{"tilth.recurring_task.created"};

  RuleSchedule schedule;
  std::string created_by;

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "recurringTaskId", "createdAt", member("schedule", schedule),
         member("createdBy", created_by));
  }
};

// Stored forever. Holds the members that the request carried, and the new schedule.
struct RecurringTaskAmended : Amended<RecurringTask, RecurringTaskDetails> {
  static constexpr EventType kType{"tilth.recurring_task.amended"};

  RuleSchedule schedule;

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "recurringTaskId", member("schedule", schedule));
  }
};

// Stored forever. Its tasks stay.
struct RecurringTaskRemoved : Removed<RecurringTask> {
  static constexpr EventType kType{"tilth.recurring_task.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "recurringTaskId");
  }
};

struct RuleAdvance {
  RecurringTaskId recurring_task_id;
  RuleSchedule schedule;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("recurringTaskId", recurring_task_id), member("schedule", schedule));
  }
};

// Why all rules of a farm or a template must be visited.
enum class RuleVisitReason : std::uint8_t { kTimeZoneChanged, kTemplateResumed, kTemplateRemoved };

constexpr auto labels(RuleVisitReason) {
  return named<RuleVisitReason>("time_zone_changed", "template_resumed", "template_removed");
}

// How far a visit of the rules of a farm or a template has come.
struct RuleVisit {
  Uuid of;
  RuleVisitReason reason = {};
  std::int64_t visited = 0;
  bool finished = false;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("of", of), member("reason", reason), member("visited", visited),
       member("finished", finished));
  }
};

// Stored forever. Due occurrences of some rules were processed: their tasks were created or
// skipped.
struct RecurringTasksAdvanced {
  static constexpr EventType kType{"tilth.recurring_task.advanced"};

  std::vector<RuleAdvance> rules;
  std::optional<RuleVisit> visit = {};  // the visit that it is part of
  Timestamp advanced_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("rules", rules), member("visit", visit), member("advancedAt", advanced_at));
  }
};

// Stored forever. Some rules ended by themselves, and are no longer active.
struct RecurringTasksStopped {
  static constexpr EventType kType{"tilth.recurring_task.stopped"};

  std::vector<RecurringTaskId> recurring_task_ids;
  RuleVisit visit;  // has the reason
  Timestamp stopped_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("recurringTaskIds", recurring_task_ids), member("visit", visit),
       member("stoppedAt", stopped_at));
  }
};

}  // namespace tilth
