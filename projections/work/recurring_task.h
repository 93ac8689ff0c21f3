// The row of a rule that creates tasks, as responses show it, and its path in requests.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/work/recurring_task.h"
#include "projections/rows/goes_with.h"
#include "projections/work/rule_visits.h"
#include "projections/work/task_template.h"

namespace tilth {

struct RecurringTask {
  using Created = RecurringTaskCreated;
  using Amended = RecurringTaskAmended;
  using Removed = RecurringTaskRemoved;
  using Details = RecurringTaskDetails<Own>;
  using Changes = RecurringTaskDetails<Patch>;
  using ParentPath = WholeStream;
  using Path = struct RecurringTaskPath;

  static constexpr std::string_view kTable = kRecurringTasks;
  static constexpr std::array<std::string_view, 2> kSorts{"createdAt", "nextOccurrence"};
  static constexpr std::array<std::string_view, 4> kFilters{"farmId", "templateId", "pattern",
                                                            "isActive"};
  static constexpr std::size_t kFarmFilter = kRulesOfFarm, kTemplateFilter = kRulesOfTemplate;
  static constexpr std::array kGoesWith{goes_with<Farm, kFarmFilter>()};

  RecurringTaskId id;
  FarmId farm_id;
  RecurringTaskDetails<Own> details;
  std::optional<Timestamp> next_occurrence = {};
  std::string rrule;
  std::optional<Timestamp> wakes_at = {};  // when the clock has to process it
  // Occurrences with a task: those to come, of the last day, and the newest of all.
  std::vector<Timestamp> made = {};
  std::string created_by;
  Timestamp created_at = {};
  Timestamp updated_at = {};

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    index.filter(farm_id), index.filter(details.template_id), index.filter(details.pattern);
    index.filter(details.is_active);
    index.sort(created_at), index.sort(next_occurrence);
    if (wakes_at) index.wakes_at(*wakes_at);
  }

  // When it recurs.
  RecurrenceRule rule() const {
    return {details.pattern,       details.interval,   details.days_of_week, details.day_of_month,
            details.month_of_year, details.start_date, details.end_date};
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("farmId", farm_id));
    details.serialize(ar);
    ar(member("nextOccurrence", next_occurrence), member("rrule", rrule),
       member("wakesAt", wakes_at, {.hidden = true}), member("made", made, {.hidden = true}),
       member("createdBy", created_by), member("createdAt", created_at),
       member("updatedAt", updated_at));
  }
};

// When an occurrence without a task is skipped: once its instant has passed.
inline std::optional<Timestamp> skipped_at(const std::optional<Timestamp>& occurrence) {
  if (!occurrence) return std::nullopt;
  return Timestamp{occurrence->at + std::chrono::milliseconds(1)};
}

// The path of a rule in a request.
struct RecurringTaskPath {
  RecurringTaskId recurring_task_id;

  Uuid row_id() const { return recurring_task_id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", recurring_task_id));
  }
};

inline std::optional<RecurringTask> find(const Rows& rows, const RecurringTaskPath& at) {
  return rows.find(at.recurring_task_id);
}

}  // namespace tilth
