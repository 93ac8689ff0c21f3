// How the events of tasks change their rows.

#include "projections/fold/record_rows.h"
#include "projections/work/overdue.h"
#include "projections/work/task.h"

namespace tilth {

void evolve(MutableRows& rows, const TaskCreated& e) {
  put_aged(rows,
           {.id = e.id,
            .farm_id = e.where.farm_id,
            .details = e.details,
            .recurring_task_id = e.recurring_task_id,
            .created_by = e.created_by,
            .created_at = e.recorded_at,
            .updated_at = e.recorded_at},
           e.recorded_at);
}

void evolve(MutableRows& rows, const TaskAmended& e) {
  auto task = rows.find(e.id);
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

ResourceRows task_rows() {
  return {.rows = {row_type<Task>()},
          .handlers =
              evolving<TaskCreated, TaskAmended, TaskCompleted, TaskRescheduled, TaskRemoved>()};
}

}  // namespace tilth
