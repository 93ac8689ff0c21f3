// Overdue follows from the time, not from an event: rows age while nothing happens. An open task
// that falls due moves from the lists of its status to those of the overdue ones, which are ranked
// like all others. It moves on a read: a reader compares the time with the next due date, and only
// if that has come, the folding thread moves what has fallen due.
//
// So there is an instant as of which an owner's lists may be read: exactly the open tasks with a
// dueDate up to it are listed as overdue. It never goes back. All of this follows from the rows and
// the time: rows that are folded again and aged to the same instant are the same byte for byte,
// whenever they were read.

#pragma once

#include <cstddef>
#include <optional>

#include "events/values/time.h"
#include "projections/rows/rows.h"
#include "projections/work/task.h"

namespace tilth {

// The instant as of which the lists may be read at `now`: `now`, or a little later if they already
// reflect a later instant. Null: something has fallen due since, and has to be moved first.
std::optional<Timestamp> lists_as_of(const Rows& rows, Timestamp now);

// Moves up to about `at_most` tasks that are due at `now`; returns whether those were all.
bool age(MutableRows& rows, Timestamp now, std::size_t at_most);

// Puts a task into the lists that it belongs in after an event at `at`.
void put_aged(MutableRows& rows, Task task, Timestamp at,
              MutableRows::Former former = MutableRows::Former::kMayBeThere);

}  // namespace tilth
