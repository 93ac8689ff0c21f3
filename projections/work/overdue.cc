#include "projections/work/overdue.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tilth {
namespace {

std::string mark_key(const Rows& rows) { return rows.own_key('o'); }

// The latest instant that the lists have reflected so far.
Timestamp mark(const Rows& rows) {
  const auto key = rows.own(mark_key(rows));
  return key ? Timestamp::of_sort_key(*key) : Timestamp::earliest();
}

void raise_mark(MutableRows& rows, Timestamp to) {
  if (to > mark(rows)) rows.store().put(mark_key(rows), to.sort_key());
}

}  // namespace

std::optional<Timestamp> lists_as_of(const Rows& rows, Timestamp now) {
  const auto at = std::max(now, mark(rows));
  return rows.next_to_age<Task>(at, 1).empty() ? std::optional(at) : std::nullopt;
}

bool age(MutableRows& rows, Timestamp now, std::size_t at_most) {
  const auto ids = rows.next_to_age<Task>(std::max(now, mark(rows)), at_most);
  for (const auto& id : ids) {
    auto task = rows.find(id);
    if (!task) continue;
    task->listed_overdue = true;
    raise_mark(rows, *task->details.due_date);
    rows.put(*task);
  }
  const bool all = ids.size() < at_most;
  if (all) raise_mark(rows, now);
  return all;
}

void put_aged(MutableRows& rows, Task task, Timestamp at, MutableRows::Former former) {
  task.listed_overdue = task.overdue(at);
  if (task.listed_overdue) raise_mark(rows, *task.details.due_date);
  // What is stored for a repeated request is what is put first: it must not depend on when the
  // lists were read.
  rows.put(task, former);
  if (task.listed_overdue || !task.overdue(mark(rows))) return;
  task.listed_overdue = true;
  rows.put(task);
}

}  // namespace tilth
