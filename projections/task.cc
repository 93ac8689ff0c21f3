#include "projections/task.h"

#include "projections/aging.h"
#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Task>;

void evolve(MutableRows& rows, const TaskCreated& e) {
  put_aged(rows,
           {.id = e.task_id,
            .farm_id = e.farm_id,
            .details = e.details,
            .recurring_task_id = e.recurring_task_id,
            .created_by = e.created_by,
            .created_at = e.created_at,
            .updated_at = e.created_at},
           e.created_at);
}

void evolve(MutableRows& rows, const TaskAmended& e) {
  auto task = rows.find(e.task_id);
  if (!task) return;
  apply(e.changes, task->details);
  task->updated_at = e.amended_at;
  put_aged(rows, std::move(*task), e.amended_at);
}

void evolve(MutableRows& rows, const TaskCompleted& e) {
  auto task = rows.find(e.task_id);
  if (!task) return;
  auto& details = task->details;
  details.status = TaskStatus::kCompleted;
  details.completed_date = e.completed_date;
  e.photo_url.apply(details.photo_url);
  e.gps_lat.apply(details.gps_lat), e.gps_lng.apply(details.gps_lng);
  e.completion_notes.apply(details.completion_notes);
  task->updated_at = e.amended_at;
  put_aged(rows, std::move(*task), e.amended_at);
}

void evolve(MutableRows& rows, const TaskRescheduled& e) {
  auto task = rows.find(e.task_id);
  if (!task) return;
  task->details.due_date = e.due_date;
  task->updated_at = e.amended_at;
  put_aged(rows, std::move(*task), e.amended_at);
}

void evolve(MutableRows& rows, const TaskRemoved& e) {
  const auto task = rows.find(e.task_id);
  if (!task) return;
  rows.erase(*task);
}

}  // namespace tilth
