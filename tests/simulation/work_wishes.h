// What farmers ask about work: tasks, recurring rules and templates. What a request needs to be
// known is said with each; it names wrong records else.

#pragma once

#include "tests/simulation/chooser.h"

namespace tilth::testing {

// `is_due_soon`: it falls due while requests are under way.
Wish a_new_task(const Chooser&, bool is_due_soon);  // a farm
// Also what is more than an amendment: it is completed, rescheduled.
Wish a_changed_task(const Chooser&);  // a task
Wish a_removed_task(const Chooser&);  // a task

// A rule, or first a template: a farm. One that makes a task soon, or in some hours.
Wish a_new_rule(const Chooser&);
// It pauses, goes on, ends, recurs at other times, or is removed.
Wish a_changed_rule(const Chooser&);  // a rule

// Bound to a farm, or to none.
Wish a_new_template(const Chooser&);
// All of its rules pause, go on or end.
Wish a_changed_template(const Chooser&);  // a template
Wish an_applied_template(const Chooser&);

}  // namespace tilth::testing
