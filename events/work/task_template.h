// Details and events of a task template: work that recurs.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "events/land/location.h"
#include "events/work/task.h"

namespace tilth {

template <template <class> class As>
struct TaskTemplateDetails {
  As<std::string> name = {};
  As<std::optional<std::string>> description = {};
  As<std::optional<FarmId>> farm_id = {};
  As<TaskCategory> category = {};
  As<TaskPriority> priority = initially<As>(TaskPriority::kMedium);
  As<std::optional<std::string>> estimated_duration = {};
  As<std::optional<std::string>> default_assignee = {};
  As<bool> is_active = initially<As>(true);

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    constexpr bool kRequired = kWhole<As>;
    return ar(member("name", name, {.required = kRequired, .min_length = 1, .max_length = 200}),
              member("description", description, {.max_length = 2'000}),
              member("farmId", farm_id, {.doc = "Bound to this farm, or null: to none."}),
              member("category", category, {.required = kRequired}), member("priority", priority),
              member("estimatedDuration", estimated_duration, {.max_length = 100}),
              member("defaultAssignee", default_assignee, {.max_length = 200}),
              member("isActive", is_active, {.doc = "An inactive template cannot be applied."}));
  }
  friend bool operator==(const TaskTemplateDetails&, const TaskTemplateDetails&) = default;
};

// Stored forever: a new shape needs a new version with an upcast(). In the reference stream it is a
// global template.
struct TaskTemplateCreated : Recorded<TaskTemplate, Nowhere, TaskTemplateDetails<Own>> {
  static constexpr EventType kType{"tilth.task_template.created"};

  std::string created_by = {};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "templateId", "createdAt", member("createdBy", created_by));
  }
};

// Stored forever. Holds the members that the request carried.
struct TaskTemplateAmended : Amended<TaskTemplate, TaskTemplateDetails> {
  static constexpr EventType kType{"tilth.task_template.amended"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "templateId");
  }
};

// One template of an operator's import, with all its details from then on.
struct ImportedTaskTemplate {
  TaskTemplateId template_id;
  TaskTemplateDetails<Own> details = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("templateId", template_id));
    details.serialize(ar);
  }
};

// Stored forever. Holds the global templates of a document that were new or different.
struct TaskTemplatesImported {
  static constexpr EventType kType{"tilth.task_template.imported"};

  std::vector<ImportedTaskTemplate> templates = {};
  Timestamp imported_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("templates", templates), member("importedAt", imported_at));
  }
};

// Stored forever.
struct TaskTemplateRemoved : Removed<TaskTemplate> {
  static constexpr EventType kType{"tilth.task_template.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "templateId");
  }
};

}  // namespace tilth
