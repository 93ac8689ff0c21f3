// Queries on tasks: the same rows that decisions look up.

#pragma once

#include <optional>
#include <string>

#include "projections/work/task.h"
#include "query/listing.h"

namespace tilth {

struct ListTasks {
  using Row = Task;
  WholeStream at = {};
  std::optional<TaskStatus> status = {};
  std::optional<FarmId> farm_id = {};
  std::optional<TaskPriority> priority = {};
  std::optional<TaskCategory> category = {};
  std::optional<std::string> assigned_to = {};
  std::optional<CropId> crop_id = {};
  std::optional<FieldId> field_id = {};
  std::optional<BlockId> block_id = {};
  std::optional<bool> open = {};
  std::optional<Timestamp> due_before = {};
  std::optional<Timestamp> due_after = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("status", status), member("farmId", farm_id), member("priority", priority),
       member("category", category), member("assignedTo", assigned_to), member("cropId", crop_id),
       member("fieldId", field_id), member("blockId", block_id),
       member("open", open,
              {.doc = "Whether work remains: pending, in_progress or overdue; not completed or "
                      "cancelled."}),
       member("dueBefore", due_before, {.doc = "Tasks with a dueDate before this instant."}),
       member("dueAfter", due_after, {.doc = "Tasks with a dueDate at or after this instant."}));
  }
};

inline Result<Listed<Task>> run_query(const Rows& rows, const ListTasks& query,
                                      const PageRequest& page) {
  auto filters = ListFilters()
                     .add(query.status)
                     .add(query.farm_id)
                     .add(query.priority)
                     .add(query.category)
                     .add(query.assigned_to)
                     .add(query.crop_id)
                     .add(query.field_id)
                     .add(query.block_id)
                     .add(query.open)
                     .cut(Task::kDueSort, query.due_after, query.due_before);
  return list_page<Task>(rows, {}, std::move(filters), page);
}

}  // namespace tilth
