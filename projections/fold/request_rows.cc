#include <string>

#include "events/log/request.h"
#include "projections/fold/row_type.h"
#include "projections/work/task.h"

namespace tilth {

// Requests change no row; fold_record() stores them by their key.
void evolve(MutableRows&, const RequestRefused&) {}

void evolve(MutableRows& rows, const RequestAnswered& e) {
  if (e.table == Task::kTable) {
    // What is stored for a repeated request must not depend on when the lists were read.
    auto task = rows.find(TaskId{e.row_id});
    if (!task) return;
    task->listed_overdue = task->overdue(e.answered_at);
    return rows.show({std::string(Task::kTable), RowCodec<Task>::encode(*task)});
  }
  if (auto row = rows.find_bytes(e.table, e.row_id)) rows.show(std::move(*row));
}

ResourceRows request_rows() { return {.handlers = evolving<RequestRefused, RequestAnswered>()}; }

}  // namespace tilth
