#include "command/work/due_rules.h"

#include <algorithm>
#include <concepts>
#include <utility>

#include "command/work/rule_schedule.h"

namespace tilth {
namespace {

constexpr std::size_t kRulesAtOnce = 200, kTasksAtOnce = 500;

// Schedules due rules on one state of the rows, at one time.
class RulesDue {
 public:
  RulesDue(const Rows& rows, Timestamp now, std::int64_t tasks_a_day)
      : rows_(rows), now_(now), left_(rule_tasks_left(rows, now, tasks_a_day)) {}

  std::optional<TaskTemplate> template_of(const RecurringTask& rule) const {
    return find(rows_, TaskTemplatePath{rule.details.template_id});
  }
  // What the day has no tasks left for is made tomorrow.
  RuleAdvance advanced(const RecurringTask& rule, std::optional<Timestamp> from) {
    auto its = schedule(rule, zone_of(rows_, rule), used_by(rows_, rule), from, now_);
    const auto tasks = static_cast<std::int64_t>(its.tasks.size());
    if (tasks > left_) return {rule.id, put_off(std::move(its), next_day(now_))};
    left_ -= tasks;
    return {rule.id, std::move(its)};
  }

 private:
  const Rows& rows_;
  const Timestamp now_;
  std::int64_t left_;
};

// Every command calls this, and most owners have none: the count shows that without a search.
template <class Row>
std::vector<Id<Row>> next_of(const Rows& rows, Timestamp now, std::size_t at_most) {
  if (rows.count<Row>({}) == 0) return {};
  return rows.next_to_age<Row>(now, at_most);
}

auto rules_from(const Rows& rows, const ListFilter& filter, std::uint64_t offset) {
  return rows.list<RecurringTask>(
      {},
      {.filters = {filter}, .order = Order::kAscending, .offset = offset, .limit = kRulesAtOnce});
}

// As a rule does while it rests: no task is made of its next occurrence.
bool waits_to_be_skipped(const RecurringTask& rule) {
  return rule.next_occurrence && rule.wakes_at == skipped_at(rule.next_occurrence);
}

// Occurrences while the template was inactive are over; those since it was resumed are not.
std::optional<Timestamp> next_since_resumed(const RecurringTask& rule,
                                            const std::optional<TaskTemplate>& used) {
  const auto& next = rule.next_occurrence;
  if (!next || !used) return next;
  return std::max(*next, used->resumed_at.value_or(*next));
}

// Visits the next rules of a farm or a template.
Event visit_next(const Rows& rows, const RulesToVisit& visit, Timestamp now,
                 std::int64_t tasks_a_day) {
  RulesDue rules(rows, now, tasks_a_day);
  const bool farm = visit.reason == RuleVisitReason::kTimeZoneChanged;
  const ListFilter filter{farm ? RecurringTask::kFarmFilter : RecurringTask::kTemplateFilter,
                          std::string(visit.id.uuid.key()), true};
  const auto found = rules_from(rows, filter, static_cast<std::uint64_t>(visit.visited));
  RuleVisit part{visit.id.uuid, visit.reason, visit.visited, false};
  std::vector<RuleAdvance> advanced;
  std::vector<RecurringTaskId> stopped;
  std::size_t tasks = 0;
  const auto used = farm ? std::nullopt : find(rows, TaskTemplatePath{{visit.id.uuid}});
  for (const auto& rule : found.rows) {
    if (tasks >= kTasksAtOnce) break;
    ++part.visited;
    if (visit.reason == RuleVisitReason::kTemplateRemoved) {
      if (rule.details.is_active) stopped.push_back(rule.id);
      continue;
    }
    const auto from = farm ? skipped_at(visit.since) : next_since_resumed(rule, used);
    advanced.push_back(rules.advanced(rule, from));
    tasks += advanced.back().schedule.tasks.size();
  }
  part.finished = static_cast<std::uint64_t>(part.visited) >= found.total;
  if (visit.reason == RuleVisitReason::kTemplateRemoved) {
    return RecurringTasksStopped{std::move(stopped), part, now};
  }
  return RecurringTasksAdvanced{std::move(advanced), part, now};
}

Event advance(const Rows& rows, const std::vector<RecurringTaskId>& due, Timestamp now,
              std::int64_t tasks_a_day) {
  RulesDue rules(rows, now, tasks_a_day);
  RecurringTasksAdvanced advanced{.rules = {}, .advanced_at = now};
  RecurringTasksStopped stopped{.recurring_task_ids = {}, .visit = {}, .stopped_at = now};
  std::size_t tasks = 0;
  for (const auto& rule : rows.find_all(due)) {
    if (tasks >= kTasksAtOnce) break;
    const auto used = rules.template_of(rule);
    if (rule.details.is_active && !used) {
      const auto& gone = rule.details.template_id.uuid;
      if (!stopped.recurring_task_ids.empty() && stopped.visit.of != gone) break;
      stopped.visit = {gone, RuleVisitReason::kTemplateRemoved, 0, true};
      stopped.recurring_task_ids.push_back(rule.id);
      continue;
    }
    advanced.rules.push_back(rules.advanced(rule, next_since_resumed(rule, used)));
    tasks += advanced.rules.back().schedule.tasks.size();
  }
  if (!stopped.recurring_task_ids.empty()) return stopped;
  return advanced;
}

}  // namespace

std::optional<Event> decide_due(const Rows& rows, Timestamp now, std::int64_t rule_tasks_a_day) {
  const auto visits = next_of<RulesToVisit>(rows, now, 1);
  if (!visits.empty()) {
    return visit_next(rows, *rows.find(visits.front()), now, rule_tasks_a_day);
  }
  const auto due = next_of<RecurringTask>(rows, now, kRulesAtOnce);
  if (due.empty()) return std::nullopt;
  return advance(rows, due, now, rule_tasks_a_day);
}

Decision decide(const Rows& rows, const VisitRulesOfTemplate& command, const Context& context) {
  const auto& of = command.template_id.uuid;
  const ListFilter filter{RecurringTask::kTemplateFilter, std::string(of.key()), true};
  if (!rows.has_linked(kRecurringTasks, {}, filter)) return std::nullopt;
  const auto changes = [&](const RecurringTask& rule) {
    if (!rule.details.is_active) return false;
    return command.reason == RuleVisitReason::kTemplateRemoved || waits_to_be_skipped(rule);
  };
  for (std::uint64_t offset = 0;; offset += kRulesAtOnce) {
    const auto found = rules_from(rows, filter, offset);
    if (std::ranges::any_of(found.rows, changes)) {
      return RecurringTasksAdvanced{{}, RuleVisit{of, command.reason, 0, false}, context.now};
    }
    if (offset + kRulesAtOnce >= found.total) return std::nullopt;
  }
}

std::vector<VisitRulesOfTemplate> visits_after(std::string_view stream, const Event& event) {
  if (stream != kReferenceStream) return {};
  std::vector<VisitRulesOfTemplate> visits;
  if (const auto* amended = event.get_if<TaskTemplateAmended>()) {
    if (amended->changes.is_active.to.value_or(false)) {
      visits.push_back({amended->id, RuleVisitReason::kTemplateResumed, amended->amended_at});
    }
  } else if (const auto* imported = event.get_if<TaskTemplatesImported>()) {
    for (const auto& [id, details] : imported->templates) {
      if (!details.is_active) continue;
      visits.push_back({id, RuleVisitReason::kTemplateResumed, imported->imported_at});
    }
  } else if (const auto* removed = event.get_if<TaskTemplateRemoved>()) {
    visits.push_back({removed->id, RuleVisitReason::kTemplateRemoved, removed->removed_at});
  }
  return visits;
}

bool has_to_follow(const Rows& reference, const VisitRulesOfTemplate& visit) {
  if (visit.reason != RuleVisitReason::kTemplateResumed) return true;
  const auto resumed = reference.find(visit.template_id);
  return resumed && resumed->resumed_at == visit.since;
}

std::uint64_t tasks_of_rules(const Event& event) {
  if (const auto* created = event.get_if<RecurringTaskCreated>()) {
    return created->schedule.tasks.size();
  }
  if (const auto* amended = event.get_if<RecurringTaskAmended>()) {
    return amended->schedule.tasks.size();
  }
  std::uint64_t tasks = 0;
  if (const auto* advanced = event.get_if<RecurringTasksAdvanced>()) {
    for (const auto& rule : advanced->rules) tasks += rule.schedule.tasks.size();
  }
  return tasks;
}

bool may_bring_forward(const Event& event) {
  return event.is<RecurringTaskCreated>() || event.is<RecurringTaskAmended>() ||
         event.is<RecurringTasksAdvanced>() || event.is<RecurringTasksStopped>() ||
         event.is<FarmAmended>() || event.is<FarmRemoved>() || event.is<TaskTemplateAmended>() ||
         event.is<TaskTemplatesImported>() || event.is<TaskTemplateRemoved>();
}

}  // namespace tilth
