// Where a rule stands at an instant: which tasks are due, what comes next, and when to look again.

#pragma once

#include <optional>
#include <vector>

#include "projections/work/recurring_task.h"

namespace tilth {

// After downtime so many of the missed occurrences of a rule get their tasks, the newest.
inline constexpr std::size_t kMissedMade = 50;

// Where `rule` stands at `now` if no occurrence before `from` is left to it. Those that are due by
// now, generateDaysBefore ahead, get their tasks: the newest kMissedMade, and in any case those
// still to come. Older ones are skipped; so is what passes while the rule rests, since it is not
// active, or neither is its template (then `used` is null).
//
// Pure: the same tasks with the same ids, no matter who asks.
RuleSchedule schedule(const RecurringTask& rule, const TimeZone& zone,
                      const std::optional<TaskTemplate>& used, std::optional<Timestamp> from,
                      Timestamp now);

// As above, from where the rule stands.
inline RuleSchedule schedule(const RecurringTask& rule, const TimeZone& zone,
                             const std::optional<TaskTemplate>& used, Timestamp now) {
  return schedule(rule, zone, used, rule.next_occurrence, now);
}

// The zone of a rule's farm.
TimeZone zone_of(const Rows& rows, const RecurringTask& rule);

// The template that a rule makes its tasks from, unless it is inactive or gone.
std::optional<TaskTemplate> used_by(const Rows& rows, const RecurringTask& rule);

}  // namespace tilth
