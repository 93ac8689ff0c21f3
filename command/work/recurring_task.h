// Commands on a recurring task. `at` comes from the path, the described members from the body.

#pragma once

#include "command/record.h"
#include "projections/work/recurring_task.h"

namespace tilth {

struct CreateRecurringTask {
  WholeStream at;
  FarmId farm_id;
  RecurringTaskDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id, {.required = true}));
    details.serialize(ar);
  }
  void check(Issues& issues) const;
};

template <>
struct RecordRules<RecurringTask> {
  static void check(const RecurringTaskDetails<Patch>&, Issues&);
};

// RecurringTaskCreated with the tasks that are due. kNotFound: no such farm; no such template, own
// or global, or it is inactive or bound to another farm. kInvalid: it would start outside the years
// 0001 to 9999, in UTC or at the farm. kRateLimited: it would make more tasks than today has left.
Decision decide(const Rows&, const CreateRecurringTask&, const Context&);

// RecurringTaskAmended with the members that the request carried and the tasks that are due now;
// nothing if it carried none. kNotFound: no such rule; the named template cannot be used; or the
// rule becomes active and its template is gone. kInvalid: it would end before it starts, or start
// outside those years. kPreconditionFailed. kRateLimited, as above.
Decision decide(const Rows&, const Update<RecurringTask>&, const Context&);

}  // namespace tilth
