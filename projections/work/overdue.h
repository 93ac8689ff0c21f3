// Overdue is a fact of time, not an event: rows age while nothing happens. A task that is open and
// falls due passes from the lists of its status to those of the overdue ones, which are kept ranked
// like all others. It passes when somebody looks: a reader compares the time with the next task
// that falls due, and only where that time has come the thread that folds moves what has fallen
// due.
//
// So there is an instant as of which an owner's lists may be read: exactly the open tasks with a
// dueDate up to it are listed as overdue. It never goes back. All of this follows from the rows and
// the time: rows that are folded again and aged to the same instant are the same byte for byte,
// whenever they were looked at.

#pragma once

#include <cstddef>
#include <optional>

#include "events/values/time.h"
#include "projections/rows/rows.h"
#include "projections/work/task.h"

namespace tilth {

// As of when the lists may be read at `now`: then, or a little later where they tell of a later
// instant already. Null: something fell due since, and has to pass first.
std::optional<Timestamp> lists_as_of(const Rows& rows, Timestamp now);

// Lets up to about `at_most` tasks pass that are due at `now`; whether those were all.
bool age(MutableRows& rows, Timestamp now, std::size_t at_most);

// Puts a task into the lists in which it stands after what happened at `at`.
void put_aged(MutableRows& rows, Task task, Timestamp at);

}  // namespace tilth
