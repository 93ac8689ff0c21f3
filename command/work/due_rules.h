// What happens by itself: no one asks for it but the time.

#pragma once

#include "command/decision.h"
#include "events/work/recurring_task.h"

namespace tilth {

// A bounded part of what has fallen due on a stream by now, as one event; nothing once all of it
// has happened.
//
//   RecurringTasksAdvanced  tasks of rules were made, or skipped.
//   RecurringTasksStopped   rules whose template is gone are no longer active.
Decision decide_due(const Rows&, const Context&);

// A global template is resumed or removed by an operator, in a stream of its own: then each owner's
// rules have to be looked at that use it.
struct VisitRulesOfTemplate {
  TaskTemplateId template_id;
  RuleVisitReason reason = {};
};

// RecurringTasksAdvanced, with which the visit begins; nothing where no rule uses that template.
Decision decide(const Rows&, const VisitRulesOfTemplate&, const Context&);

// What has to follow on the owners' streams.
std::optional<VisitRulesOfTemplate> visit_after(std::string_view stream, const Event&);

// Whether something may be due sooner than before, now that this happened.
bool may_bring_forward(const Event&);

}  // namespace tilth
