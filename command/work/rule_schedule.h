// The schedule of a rule at an instant: due tasks, the next occurrence, and the next wake.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "projections/work/recurring_task.h"

namespace tilth {

// After downtime, only so many missed occurrences of a rule, the newest, get their tasks.
inline constexpr std::size_t kMissedMade = 50;

// The schedule of `rule` at `now`, without occurrences before `from`. Occurrences that are due by
// now, generateDaysBefore ahead, get their tasks: the newest kMissedMade, and always those still to
// come. Older ones are skipped; so are occurrences while the rule rests because it or its template
// is inactive (then `used` is null).
//
// Pure: the same tasks with the same ids for every caller.
RuleSchedule schedule(const RecurringTask& rule, const TimeZone& zone,
                      const std::optional<TaskTemplate>& used, std::optional<Timestamp> from,
                      Timestamp now);

// As above, from the rule's next occurrence.
inline RuleSchedule schedule(const RecurringTask& rule, const TimeZone& zone,
                             const std::optional<TaskTemplate>& used, Timestamp now) {
  return schedule(rule, zone, used, rule.next_occurrence, now);
}

// How many more of `tasks_a_day` the owner's rules may make today; and when the next day begins.
std::int64_t rule_tasks_left(const Rows& rows, Timestamp now, std::int64_t tasks_a_day);
Timestamp next_day(Timestamp now);

// The schedule with its tasks left for then.
RuleSchedule put_off(RuleSchedule schedule, Timestamp until);

// The zone of a rule's farm.
TimeZone zone_of(const Rows& rows, const RecurringTask& rule);

// The template that a rule makes its tasks from, unless it is inactive or gone.
std::optional<TaskTemplate> used_by(const Rows& rows, const RecurringTask& rule);

}  // namespace tilth
