#include "command/work/task_template.h"

#include <set>
#include <string>
#include <utility>

namespace tilth {
namespace {

const Error kNoTemplate{ErrorCode::kNotFound, "There is no such template."};
const Error kInactive{ErrorCode::kNotFound, "There is no such active template."};

// Templates of the reference stream, which all owners read, are bound to no farm.
bool is_global(const Rows& rows) { return rows.stream() == kReferenceStream; }

std::optional<TaskTemplate> find_named(const Rows& rows, const std::string& name) {
  auto found =
      rows.list<TaskTemplate>({}, {.filters = {{TaskTemplate::kNameFilter, fold_case(name)}},
                                   .order = Order::kAscending,
                                   .limit = 1});
  return found.rows.empty() ? std::nullopt : std::optional(std::move(found.rows.front()));
}

std::string item(std::size_t index, std::string_view member) {
  return "templates." + std::to_string(index) + "." + std::string(member);
}

}  // namespace

void ImportTaskTemplates::check(Issues& issues) const {
  if (templates.size() > kMost) {
    issues["templates"].push_back("must have at most " + std::to_string(kMost));
    return;
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const auto& name = templates[i].name.to;
    if (issues.contains(item(i, "name"))) continue;
    if (!name) {
      issues[item(i, "name")].emplace_back("is required");
    } else if (!names.insert(fold_case(*name)).second) {
      issues[item(i, "name")].emplace_back("is said for the second time");
    }
  }
}

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
  auto details = command.details;
  if (is_global(rows)) details.farm_id.reset();
  if (details.farm_id && !rows.find(*details.farm_id)) return there_is_no<Farm>();
  const auto by = is_global(rows) ? kOperatorActor : rows.stream();
  return TaskTemplateCreated{{{context.new_id}, {}, std::move(details), context.now},
                             std::string(by)};
}

Decision decide(const Rows& rows, const Update<TaskTemplate>& command, const Context& context) {
  const auto before = rows.find(command.at.template_id);
  if (!before) return kNoTemplate;
  auto changes = command.changes;
  if (is_global(rows)) changes.farm_id.to.reset();
  const auto farm = changes.farm_id.to.value_or(std::nullopt);
  if (farm && !rows.find(*farm)) return there_is_no<Farm>();
  if (const auto held = context.permits(*before); !held) return held.error();
  if (!carries_any(changes)) return std::nullopt;
  return TaskTemplateAmended{{before->id, std::move(changes), context.now}};
}

Decision decide(const Rows& rows, const Delete<TaskTemplate>& command, const Context& context) {
  const auto before = rows.find(command.at.template_id);
  if (!before) return kNoTemplate;
  if (const auto held = context.permits(*before); !held) return held.error();
  return TaskTemplateRemoved{{before->id, context.now}};
}

Decision decide(const Rows& rows, const ImportTaskTemplates& command, const Context& context) {
  TaskTemplatesImported event{{}, context.now};
  Issues issues;
  for (std::size_t i = 0; i < command.templates.size(); ++i) {
    auto changes = command.templates[i];
    changes.farm_id.to.reset();
    const auto before = find_named(rows, *changes.name.to);
    if (!before && !changes.category.to) issues[item(i, "category")].emplace_back("is required");
    ImportedTaskTemplate after{before ? before->id : TaskTemplateId{following(context.new_id, i)},
                               before ? before->details : TaskTemplateDetails<Own>{}};
    apply(changes, after.details);
    if (!before || before->details != after.details) event.templates.push_back(std::move(after));
  }
  if (!issues.empty()) {
    return Error{ErrorCode::kInvalid, "The document is not valid.", std::move(issues)};
  }
  return event.templates.empty() ? Decision(std::nullopt) : Decision(std::move(event));
}

Decision decide(const Rows& rows, const ApplyTemplate& command, const Context& context) {
  const auto from = find(rows, command.at);
  if (!from || !from->details.is_active) return kInactive;
  const auto farm = command.farm_id ? command.farm_id : from->details.farm_id;
  if (!farm) {
    return Error{
        ErrorCode::kInvalid, "The template is bound to no farm.", {{"farmId", {"is required"}}}};
  }
  if (!rows.find(*farm)) return there_is_no<Farm>();
  TaskCreated event{
      {{context.new_id}, {*farm}, task_from(from->details, command.overrides), context.now}};
  event.template_id = from->id;
  event.created_by = rows.stream();
  return event;
}

}  // namespace tilth
