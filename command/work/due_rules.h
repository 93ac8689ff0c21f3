// Decides what happens by time alone, without a request.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "command/decision.h"
#include "events/work/recurring_task.h"

namespace tilth {

// A bounded part of what has fallen due on a stream by then, as one event; nothing once all of it
// has happened.
//
//   RecurringTasksAdvanced  tasks of rules were created, skipped, or put off until tomorrow, since
//                           today has had `rule_tasks_a_day`.
//   RecurringTasksStopped   rules whose template is gone are no longer active.
std::optional<Event> decide_due(const Rows&, Timestamp now,
                                std::int64_t rule_tasks_a_day = kRuleTasksADay);

// An operator resumes or removes a global template in a stream of its own: then each owner's rules
// that use it must be visited.
struct VisitRulesOfTemplate {
  TaskTemplateId template_id;
  RuleVisitReason reason = {};
  Timestamp since = {};  // when the operator did that
};

// RecurringTasksAdvanced, which starts the visit; nothing if it would change no rule: none uses
// that template, or the visit of another node has been there.
Decision decide(const Rows&, const VisitRulesOfTemplate&, const Context&);

// The visits that may have to follow on the owners' streams.
std::vector<VisitRulesOfTemplate> visits_after(std::string_view stream, const Event&);

// Whether a visit has to: not if its template was active before. `reference` is the reference data
// after the event.
bool has_to_follow(const Rows& reference, const VisitRulesOfTemplate&);

// How many tasks recurring tasks made in this event.
std::uint64_t tasks_of_rules(const Event&);

// Whether this event may make something due sooner than before.
bool may_bring_forward(const Event&);

}  // namespace tilth
