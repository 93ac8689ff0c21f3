#include "command/work/rule_schedule.h"

#include <algorithm>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "command/work/task_template.h"
#include "projections/work/rule_tasks.h"

namespace tilth {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;

// Every node, and every attempt, makes the same id: RFC 9562, version 8.
TaskId task_of(const RecurringTaskId& rule, Timestamp occurrence) {
  const auto name = std::string(rule.uuid.key()) + occurrence.sort_key();
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest, XXH3_128bits(name.data(), name.size()));
  Uuid id;
  std::copy(std::begin(digest.digest), std::end(digest.digest), id.bytes.begin());
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0FU) | 0x80U);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3FU) | 0x80U);
  return {id};
}

TaskDetails<Own> task_by(const RecurringTask& rule, const TaskTemplate& used) {
  TaskOverrides overrides;
  if (rule.details.assigned_to) overrides.assigned_to.to = rule.details.assigned_to;
  if (rule.details.field_name) overrides.field_name.to = rule.details.field_name;
  return task_from(used.details, overrides);
}

// The occurrences of one rule, except those whose tasks were made.
class Left {
 public:
  Left(const RecurringTask& rule, const TimeZone& zone)
      : occurrences_(rule.rule(), zone), rule_(rule) {}

  std::optional<Timestamp> first_from(Timestamp at) const {
    auto found = occurrences_.first_from(at);
    while (found && was_made(*found)) found = occurrences_.first_from(just_after(*found));
    return found;
  }

  // When the task of an occurrence is made.
  Timestamp made_at(Timestamp occurrence) const {
    return occurrences_.days_before(occurrence, rule_.details.generate_days_before);
  }

  // The newest occurrence whose task is to be made by `now`.
  std::optional<Timestamp> last_due(Timestamp now) const {
    constexpr days kMargin{2};  // for clock changes in between
    auto found =
        occurrences_.last_until({now.at + days(rule_.details.generate_days_before) + kMargin});
    while (found && made_at(*found) > now) found = before(*found);
    return found;
  }

  // The occurrences that get tasks, in order: those that are due and not before `from`.
  std::vector<Timestamp> to_make(Timestamp from, Timestamp now) const {
    std::vector<Timestamp> made;
    for (auto each = last_due(now); each && *each >= from; each = before(*each)) {
      if (was_made(*each)) continue;
      if (made.size() >= kMissedMade && *each < now) break;
      made.push_back(*each);
    }
    std::reverse(made.begin(), made.end());
    return made;
  }

  std::string rrule() const { return occurrences_.rrule(); }
  static Timestamp just_after(Timestamp at) { return {at.at + milliseconds(1)}; }

 private:
  bool was_made(Timestamp occurrence) const {
    return std::find(rule_.made.begin(), rule_.made.end(), occurrence) != rule_.made.end();
  }
  std::optional<Timestamp> before(Timestamp occurrence) const {
    return occurrences_.last_until({occurrence.at - milliseconds(1)});
  }

  const Occurrences occurrences_;
  const RecurringTask& rule_;
};

}  // namespace

RuleSchedule schedule(const RecurringTask& rule, const TimeZone& zone,
                      const std::optional<TaskTemplate>& used, std::optional<Timestamp> from,
                      Timestamp now) {
  const Left left(rule, zone);
  RuleSchedule schedule{.rrule = left.rrule()};
  if (!from) return schedule;
  auto next = *from;
  const bool rests = !rule.details.is_active || !used;
  if (rests) {
    schedule.next_occurrence = left.first_from(std::max(next, now));
    schedule.wakes_at = skipped_at(schedule.next_occurrence);
    return schedule;
  }
  if (const auto made = left.to_make(next, now); !made.empty()) {
    schedule.makes = task_by(rule, *used);
    for (const auto& each : made) schedule.tasks.push_back({task_of(rule.id, each), each});
    next = Left::just_after(made.back());
  }
  schedule.next_occurrence = left.first_from(next);
  if (schedule.next_occurrence) schedule.wakes_at = left.made_at(*schedule.next_occurrence);
  return schedule;
}

std::int64_t rule_tasks_left(const Rows& rows, Timestamp now, std::int64_t tasks_a_day) {
  return std::max<std::int64_t>(tasks_a_day - rule_tasks_made(rows, now), 0);
}

Timestamp next_day(Timestamp now) { return {std::chrono::floor<days>(now.at) + days(1)}; }

RuleSchedule put_off(RuleSchedule schedule, Timestamp until) {
  if (schedule.tasks.empty()) return schedule;
  schedule.next_occurrence = schedule.tasks.front().due_date;
  schedule.wakes_at = until;
  schedule.tasks.clear();
  schedule.makes.reset();
  return schedule;
}

TimeZone zone_of(const Rows& rows, const RecurringTask& rule) {
  const auto farm = rows.find(rule.farm_id);
  return farm ? farm->details.timezone : TimeZone{};
}

std::optional<TaskTemplate> used_by(const Rows& rows, const RecurringTask& rule) {
  auto used = find(rows, TaskTemplatePath{rule.details.template_id});
  return used && used->details.is_active ? std::move(used) : std::nullopt;
}

}  // namespace tilth
