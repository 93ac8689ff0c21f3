#include "projections/work/task_template.h"

#include "projections/fold/record_rows.h"
#include "projections/rows/row_codec.h"
#include "projections/work/rule_visits.h"

namespace tilth {

template struct RowCodec<TaskTemplate>;

namespace {

// Whether it became active again, which is noted.
bool resumes(TaskTemplate& row, bool was_active, Timestamp at) {
  if (was_active || !row.details.is_active) return false;
  row.resumed_at = at;
  return true;
}

}  // namespace

void evolve(MutableRows& rows, const TaskTemplateCreated& e) {
  rows.put(TaskTemplate{.id = e.id,
                        .details = e.details,
                        .is_global = rows.stream() == kReferenceStream,
                        .created_by = e.created_by,
                        .created_at = e.recorded_at,
                        .updated_at = e.recorded_at});
}

void evolve(MutableRows& rows, const TaskTemplateAmended& e) {
  auto row = rows.find(e.id);
  if (!row) return;
  const bool was_active = row->details.is_active;
  apply(e.changes, row->details);
  row->updated_at = e.amended_at;
  const bool resumed = resumes(*row, was_active, e.amended_at);
  rows.put(*row);
  if (resumed) visit_rules(rows, row->id.uuid, RuleVisitReason::kTemplateResumed, e.amended_at);
}

void evolve(MutableRows& rows, const TaskTemplatesImported& e) {
  for (const auto& [id, details] : e.templates) {
    const auto before = rows.find(id);
    TaskTemplate row{.id = id,
                     .details = details,
                     .is_global = rows.stream() == kReferenceStream,
                     .created_by = before ? before->created_by : std::string(kOperatorActor),
                     .resumed_at = before ? before->resumed_at : std::nullopt,
                     .created_at = before ? before->created_at : e.imported_at,
                     .updated_at = e.imported_at};
    if (before) resumes(row, before->details.is_active, e.imported_at);
    rows.put(row);
  }
}

void evolve(MutableRows& rows, const TaskTemplateRemoved& e) {
  const auto row = rows.find(e.id);
  if (!row) return;
  rows.erase(*row);
  visit_rules(rows, row->id.uuid, RuleVisitReason::kTemplateRemoved, e.removed_at);
}

ResourceRows task_template_rows() {
  auto type = row_type<TaskTemplate>();
  type.before_cascade = [](MutableRows& rows, const Uuid& id) {
    const auto row = rows.find(TaskTemplateId{id});
    if (row) visit_rules(rows, id, RuleVisitReason::kTemplateRemoved, row->updated_at);
  };
  return {.rows = {type},
          .handlers = evolving<TaskTemplateCreated, TaskTemplateAmended, TaskTemplatesImported,
                               TaskTemplateRemoved>()};
}

}  // namespace tilth
