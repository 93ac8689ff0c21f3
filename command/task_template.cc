#include "command/task_template.h"

namespace tilth {
namespace {

const Error kNoFarm{ErrorCode::kNotFound, "There is no such farm."};
const Error kNoTemplate{ErrorCode::kNotFound, "There is no such template."};
const Error kInactive{ErrorCode::kNotFound, "There is no such active template."};

}  // namespace

TaskDetails<Own> task_from(const TaskTemplateDetails<Own>& from, const TaskOverrides& overrides) {
  TaskDetails<Own> task{.title = from.name,
                        .description = from.description,
                        .priority = from.priority,
                        .category = from.category,
                        .assigned_to = from.default_assignee,
                        .estimated_duration = from.estimated_duration};
  overrides.title.apply(task.title), overrides.description.apply(task.description);
  overrides.priority.apply(task.priority);
  overrides.due_date.apply(task.due_date), overrides.start_date.apply(task.start_date);
  overrides.assigned_to.apply(task.assigned_to), overrides.field_name.apply(task.field_name);
  overrides.estimated_duration.apply(task.estimated_duration);
  overrides.notes.apply(task.notes);
  return task;
}

Decision decide(const Rows& rows, const CreateTaskTemplate& command, const Context& context) {
  const auto& farm = command.details.farm_id;
  if (farm && !rows.find(*farm)) return kNoFarm;
  return TaskTemplateCreated{
      {context.new_id}, command.details, std::string(rows.stream()), context.now};
}

Decision decide(const Rows& rows, const AmendTaskTemplate& command, const Context& context) {
  const auto before = rows.find(command.at.template_id);
  if (!before) return kNoTemplate;
  const auto farm = command.changes.farm_id.to.value_or(std::nullopt);
  if (farm && !rows.find(*farm)) return kNoFarm;
  if (const auto held = context.permits(*before); !held) return held.error();
  if (!carries_any(command.changes)) return std::nullopt;
  return TaskTemplateAmended{before->id, command.changes, context.now};
}

Decision decide(const Rows& rows, const RemoveTaskTemplate& command, const Context& context) {
  const auto before = rows.find(command.at.template_id);
  if (!before) return kNoTemplate;
  if (const auto held = context.permits(*before); !held) return held.error();
  return TaskTemplateRemoved{before->id, context.now};
}

Decision decide(const Rows& rows, const ApplyTaskTemplate& command, const Context& context) {
  const auto from = find(rows, command.at);
  if (!from || !from->details.is_active) return kInactive;
  const auto farm = command.farm_id ? command.farm_id : from->details.farm_id;
  if (!farm) {
    return Error{
        ErrorCode::kInvalid, "The template is bound to no farm.", {{"farmId", {"is required"}}}};
  }
  if (!rows.find(*farm)) return kNoFarm;
  return TaskCreated{.task_id = {context.new_id},
                     .farm_id = *farm,
                     .details = task_from(from->details, command.overrides),
                     .template_id = from->id,
                     .created_by = std::string(rows.stream()),
                     .created_at = context.now};
}

}  // namespace tilth
