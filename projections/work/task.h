// A task row, as responses show it, and its path in requests.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "events/work/task.h"
#include "projections/land/block.h"
#include "projections/rows/goes_with.h"

namespace tilth {

struct Task {
  using Created = TaskCreated;
  using Amended = TaskAmended;
  using Removed = TaskRemoved;
  using Details = TaskDetails<Own>;
  using Changes = TaskDetails<Patch>;
  using ParentPath = WholeStream;
  using Path = struct TaskPath;

  static constexpr std::string_view kTable = "task";
  static constexpr std::array<std::string_view, 4> kSorts{"createdAt", "dueDate", "priority",
                                                          "title"};
  static constexpr std::array<std::string_view, 9> kFilters{"status",   "farmId",     "priority",
                                                            "category", "assignedTo", "cropId",
                                                            "fieldId",  "blockId",    "open"};
  static constexpr std::size_t kFarmFilter = 1, kDueSort = 1;
  static constexpr std::array kGoesWith{goes_with<Farm, kFarmFilter>()};
  static constexpr bool kAges = true;

  TaskId id;
  FarmId farm_id;
  TaskDetails<Own> details;
  std::optional<Uuid> sop_template_id = {};  // never set by this API
  std::optional<RecurringTaskId> recurring_task_id = {};
  std::string created_by = {};
  bool listed_overdue = false;  // see overdue.h
  Timestamp created_at = {};
  Timestamp updated_at = {};

  bool open() const {
    return details.status == TaskStatus::kPending || details.status == TaskStatus::kInProgress;
  }
  bool overdue(Timestamp now) const {
    return open() && details.due_date && *details.due_date <= now;
  }

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const {
    const auto status = listed_overdue ? TaskStatus::kOverdue : details.status;
    index.filter(status), index.filter(farm_id);
    index.filter(details.priority), index.filter(details.category);
    index.filter(details.assigned_to), index.filter(details.crop_id);
    index.filter(details.field_id), index.filter(details.block_id);
    index.filter(open());
    index.sort(created_at), index.sort_and_cut(details.due_date);
    index.sort(details.priority), index.sort(details.title);
    if (open() && details.due_date && !listed_overdue) index.ages_at(*details.due_date);
  }

  // As in responses at `now`.
  Task shown(Timestamp now) const {
    Task task = *this;
    if (overdue(now)) task.details.status = TaskStatus::kOverdue;
    return task;
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("farmId", farm_id));
    details.serialize(ar);
    ar(member("sopTemplateId", sop_template_id), member("recurringTaskId", recurring_task_id),
       member("createdBy", created_by), member("listedOverdue", listed_overdue, {.hidden = true}),
       member("createdAt", created_at), member("updatedAt", updated_at));
  }
};

// The path of a task in a request.
struct TaskPath {
  TaskId task_id;

  Uuid row_id() const { return task_id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", task_id));
  }
};

inline std::optional<Task> find(const Rows& rows, const TaskPath& at) {
  return rows.find(at.task_id);
}

}  // namespace tilth
