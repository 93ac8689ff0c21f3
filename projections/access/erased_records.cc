#include "projections/access/erased_records.h"

#include "projections/fold/row_type.h"
#include "projections/integrations/webhook.h"
#include "projections/land/farm.h"
#include "projections/library/user_crop.h"
#include "projections/rows/forgotten_requests.h"
#include "projections/work/rule_tasks.h"
#include "projections/work/rule_visits.h"
#include "projections/work/task_template.h"

namespace tilth {
namespace {

template <class... Row>
bool has_any(const Rows& rows) {
  return ((rows.count<Row>({}) > 0) || ...);
}

}  // namespace

bool has_records(const Rows& rows) {
  return has_any<Farm, TaskTemplate, UserCrop, Webhook, RuleTasks, RulesToVisit>(rows) ||
         remembers_requests(rows);
}

// What belongs to a farm goes with it.
void evolve(MutableRows& rows, const RecordsErased&) {
  remove_all<Farm>(rows);
  remove_all<TaskTemplate>(rows);
  remove_all<UserCrop>(rows);
  remove_all<Webhook>(rows);
  remove_all<RuleTasks>(rows);
  remove_all<RulesToVisit>(rows);
  forget_requests(rows);
}

ResourceRows erased_records_rows() { return {.handlers = evolving<RecordsErased>()}; }

}  // namespace tilth
