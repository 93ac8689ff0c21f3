#include "command/work/recurring_task.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "command/work/rule_schedule.h"

namespace tilth {
namespace {

const Error kNoRule{ErrorCode::kNotFound, "There is no such recurring task."};
const Error kNoUsableTemplate{ErrorCode::kNotFound,
                              "There is no such active template for this farm."};
constexpr auto kTooEarly = "must not be before startDate";
constexpr auto kNoSuchYear =
    "must lie in the years 0001 to 9999, in UTC and in the farm's time zone";

Timestamp whole_second(Timestamp at) { return {std::chrono::floor<std::chrono::seconds>(at.at)}; }

bool ends_too_early(Timestamp start, const std::optional<Timestamp>& end) {
  return end && *end < whole_second(start);
}

// RFC 5545 cannot represent any other year.
bool in_four_digit_years(Timestamp start, const TimeZone& zone) {
  const auto holds = [](std::chrono::year_month_day date) {
    return date.year() >= std::chrono::year(1) && date.year() <= std::chrono::year(9999);
  };
  return holds(date_in(TimeZone{}, start).day) && holds(date_in(zone, start).day);
}

bool can_use(const Rows& rows, const TaskTemplateId& id, const FarmId& farm) {
  const auto used = find(rows, TaskTemplatePath{id});
  const auto bound_to = used ? used->details.farm_id : std::nullopt;
  return used && used->details.is_active && (!bound_to || *bound_to == farm);
}

Error does_not_fit(Issues issues) {
  return {ErrorCode::kInvalid, "The body does not fit the recurring task.", std::move(issues)};
}

// A request must not make more tasks than the day has left. What it makes is all made, so it is
// refused as a whole.
Status fits_into_day(const Rows& rows, const RuleSchedule& schedule, const Context& context) {
  const auto tasks = static_cast<std::int64_t>(schedule.tasks.size());
  const auto now = context.now;
  if (tasks == 0 || tasks <= rule_tasks_left(rows, now, context.rule_tasks_a_day)) return kDone;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(next_day(now).at - now.at).count();
  return Error{.code = ErrorCode::kRateLimited,
               .message = "Your recurring tasks have made " +
                          std::to_string(context.rule_tasks_a_day) +
                          " tasks today, or this would make more.",
               .retry_after_seconds = seconds};
}

// Whether the request changes when the rule recurs.
bool moves(const RecurringTaskDetails<Patch>& changes) {
  return changes.pattern.to || changes.interval.to || changes.days_of_week.to ||
         changes.day_of_month.to || changes.month_of_year.to || changes.start_date.to ||
         changes.end_date.to;
}

}  // namespace

void CreateRecurringTask::check(Issues& issues) const {
  if (issues.contains("startDate") || issues.contains("endDate")) return;
  if (ends_too_early(details.start_date, details.end_date)) issues["endDate"].push_back(kTooEarly);
}

void RecordRules<RecurringTask>::check(const RecurringTaskDetails<Patch>& changes, Issues& issues) {
  if (issues.contains("startDate") || issues.contains("endDate")) return;
  const auto &start = changes.start_date.to, end = changes.end_date.to.value_or(std::nullopt);
  if (start && ends_too_early(*start, end)) issues["endDate"].push_back(kTooEarly);
}

Decision decide(const Rows& rows, const CreateRecurringTask& command, const Context& context) {
  const auto farm = rows.find(command.farm_id);
  if (!farm) return there_is_no<Farm>();
  if (!can_use(rows, command.details.template_id, command.farm_id)) return kNoUsableTemplate;
  RecurringTask rule{.id = {context.new_id},
                     .farm_id = command.farm_id,
                     .details = command.details,
                     .rrule = {},
                     .created_by = std::string(rows.stream())};
  rule.details.start_date = whole_second(rule.details.start_date);
  if (!in_four_digit_years(rule.details.start_date, farm->details.timezone)) {
    return does_not_fit({{"startDate", {kNoSuchYear}}});
  }
  auto begins =
      schedule(rule, farm->details.timezone, used_by(rows, rule), context.now, context.now);
  if (const auto fits = fits_into_day(rows, begins, context); !fits) return fits.error();
  return RecurringTaskCreated{
      {rule.id, {rule.farm_id}, rule.details, context.now}, std::move(begins), rule.created_by};
}

Decision decide(const Rows& rows, const Update<RecurringTask>& command, const Context& context) {
  auto rule = find(rows, command.at);
  if (!rule) return kNoRule;
  auto changes = command.changes;
  if (auto& start = changes.start_date.to) start = whole_second(*start);
  const auto before = *rule;
  apply(changes, rule->details);
  const bool resumes = changes.is_active.to.value_or(false);
  const bool gone = !find(rows, TaskTemplatePath{rule->details.template_id});
  if (changes.template_id.to && !can_use(rows, *changes.template_id.to, rule->farm_id)) {
    return kNoUsableTemplate;
  }
  if (resumes && gone) return kNoUsableTemplate;
  Issues issues;
  if (ends_too_early(rule->details.start_date, rule->details.end_date)) {
    issues["endDate"].emplace_back(kTooEarly);
  }
  if (changes.start_date.to && !in_four_digit_years(*changes.start_date.to, zone_of(rows, *rule))) {
    issues["startDate"].emplace_back(kNoSuchYear);
  }
  if (!issues.empty()) return does_not_fit(std::move(issues));
  if (const auto held = context.permits(before); !held) return held.error();
  if (!carries_any(command.changes)) return std::nullopt;
  auto from = moves(changes) ? skipped_at(context.now) : rule->next_occurrence;
  const bool rested = !before.details.is_active || !used_by(rows, before);
  if (from && rested) from = std::max(*from, context.now);  // occurrences meanwhile are over
  auto goes_on = schedule(*rule, zone_of(rows, *rule), used_by(rows, *rule), from, context.now);
  if (const auto fits = fits_into_day(rows, goes_on, context); !fits) return fits.error();
  return RecurringTaskAmended{{rule->id, changes, context.now}, std::move(goes_on)};
}

}  // namespace tilth
