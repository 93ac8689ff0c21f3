#include "command/work/task.h"

namespace tilth {
namespace {

const Error kNoCrop{ErrorCode::kNotFound, "There is no such crop on this farm."};
const Error kNoField{ErrorCode::kNotFound, "There is no such field on this farm."};
const Error kNoBlock{ErrorCode::kNotFound, "There is no such block on this farm."};
const Error kNoTask{ErrorCode::kNotFound, "There is no such task."};
constexpr auto kWritable = "must be one of pending, in_progress, completed, cancelled";

// The link that a request newly sets. An existing link outlives its target, and may be repeated.
template <class Id>
std::optional<Id> linked_again(const Patch<std::optional<Id>>& change,
                               const std::optional<Id>& before) {
  return change.to && *change.to != before ? *change.to : std::nullopt;
}

template <class Id>
bool stands_on(const Rows& rows, const FarmId& farm, const std::optional<Id>& linked) {
  if (!linked) return true;
  const auto row = rows.find(*linked);
  return row && row->farm_id == farm;
}

}  // namespace

void CreateTask::check(Issues& issues) const {
  if (details.status == TaskStatus::kOverdue) issues["status"].emplace_back(kWritable);
}

Status check_links(const Rows& rows, const FarmId& farm, const std::optional<CropId>& crop,
                   const std::optional<FieldId>& field, const std::optional<BlockId>& block) {
  if (!stands_on(rows, farm, crop)) return kNoCrop;
  if (!stands_on(rows, farm, field)) return kNoField;
  if (!stands_on(rows, farm, block)) return kNoBlock;
  return kDone;
}

Decision decide(const Rows& rows, const CreateTask& command, const Context& context) {
  auto details = command.details;
  if (!rows.find(command.farm_id)) return there_is_no<Farm>();
  const auto linked =
      check_links(rows, command.farm_id, details.crop_id, details.field_id, details.block_id);
  if (!linked) return linked.error();
  if (details.status != TaskStatus::kCompleted) {
    details.completed_date.reset();
  } else if (!details.completed_date) {
    details.completed_date = context.now;
  }
  TaskCreated event{{{context.new_id}, {command.farm_id}, std::move(details), context.now}};
  event.created_by = rows.stream();
  return event;
}

Decision decide(const Rows& rows, const Update<Task>& command, const Context& context) {
  const auto task = find(rows, command.at);
  if (!task) return kNoTask;
  auto changes = command.changes;
  const auto& before = task->details;
  const auto linked =
      check_links(rows, task->farm_id, linked_again(changes.crop_id, before.crop_id),
                  linked_again(changes.field_id, before.field_id),
                  linked_again(changes.block_id, before.block_id));
  if (!linked) return linked.error();
  const bool stays_overdue = changes.status.to == TaskStatus::kOverdue;
  if (stays_overdue && !task->overdue(context.now)) {
    return Error{ErrorCode::kInvalid, "The body does not fit the task.", {{"status", {kWritable}}}};
  }
  if (stays_overdue) changes.status.to.reset();  // the stored status stays as well
  if (const auto held = context.permits(*task); !held) return held.error();

  const bool was = task->details.status == TaskStatus::kCompleted;
  const bool is = changes.status.to.value_or(task->details.status) == TaskStatus::kCompleted;
  auto& completed = changes.completed_date;
  if (!is || !completed.to.value_or(std::nullopt)) completed.to.reset();
  if (!stays_overdue && !carries_any(changes)) return std::nullopt;
  if (is && !was && !completed.to) completed.to = context.now;
  if (was && !is) completed.to.emplace();
  return TaskAmended{{task->id, std::move(changes), context.now}};
}

Decision decide(const Rows& rows, const CompleteTask& command, const Context& context) {
  const auto task = find(rows, command.at);
  if (!task) return kNoTask;
  const bool was = task->details.status == TaskStatus::kCompleted;
  if (was && !carries_any(command)) return std::nullopt;
  const auto since = was ? task->details.completed_date : std::nullopt;
  return TaskCompleted{task->id,      command.photo_url,           command.gps_lat, command.gps_lng,
                       command.notes, since.value_or(context.now), context.now};
}

Decision decide(const Rows& rows, const RescheduleTask& command, const Context& context) {
  const auto task = find(rows, command.at);
  if (!task) return kNoTask;
  if (const auto held = context.permits(*task); !held) return held.error();
  return TaskRescheduled{task->id, command.due_date, context.now};
}

}  // namespace tilth
