// Commands on a task template. `at` comes from the path, the described members from the body.

#pragma once

#include <vector>

#include "command/record.h"
#include "projections/work/task.h"
#include "projections/work/task_template.h"

namespace tilth {

struct CreateTaskTemplate {
  WholeStream at;
  TaskTemplateDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    details.serialize(ar);
  }
};

// The values of a task that differ from those of its template.
struct TaskOverrides {
  Patch<std::string> title = {};
  Patch<std::optional<std::string>> description = {};
  Patch<TaskPriority> priority = {};
  Patch<std::optional<Timestamp>> due_date = {};
  Patch<std::optional<Timestamp>> start_date = {};
  Patch<std::optional<std::string>> assigned_to = {};
  Patch<std::optional<std::string>> field_name = {};
  Patch<std::optional<std::string>> estimated_duration = {};
  Patch<std::optional<std::string>> notes = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("title", title, {.min_length = 1, .max_length = 200}),
       member("description", description, {.max_length = 2'000}), member("priority", priority),
       member("dueDate", due_date), member("startDate", start_date),
       member("assignedTo", assigned_to, {.max_length = 200}),
       member("fieldName", field_name, {.max_length = 200}),
       member("estimatedDuration", estimated_duration, {.max_length = 100}),
       member("notes", notes, {.max_length = 5'000}));
  }
};

struct ApplyTemplate {
  TaskTemplatePath at;
  std::optional<FarmId> farm_id = {};
  TaskOverrides overrides = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id, {.doc = "Required where the template is bound to no farm."}));
    overrides.serialize(ar);
  }
};

// A document of global templates: {"templates": [{"name": …, "category": …}]}. A template is
// identified by its name, ignoring case; members that the document omits stay unchanged, null
// clears.
struct ImportTaskTemplates {
  static constexpr std::size_t kMost = 1'000;
  std::vector<TaskTemplateDetails<Patch>> templates = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("templates", templates, {.required = true}));
  }
  void check(Issues& issues) const;
};

// The task that a template makes. Pure, and the same wherever templates make tasks.
TaskDetails<Own> task_from(const TaskTemplateDetails<Own>&, const TaskOverrides& = {});

// TaskTemplateCreated. kNotFound: no such farm.
Decision decide(const Rows&, const CreateTaskTemplate&, const Context&);

// TaskTemplateAmended with the members that the request carried; nothing if it carried none.
// kNotFound: no such template of the owner's own, or no such farm. kPreconditionFailed.
Decision decide(const Rows&, const Update<TaskTemplate>&, const Context&);

// TaskTemplateRemoved. kNotFound: the owner has no such template. kPreconditionFailed.
Decision decide(const Rows&, const Delete<TaskTemplate>&, const Context&);

// TaskTemplatesImported with those that are new or changed; nothing if there are none. kInvalid: a
// new one has no category.
Decision decide(const Rows& reference, const ImportTaskTemplates&, const Context&);

// TaskCreated. kNotFound: no such template, own or global, or it is inactive; or no such farm.
// kInvalid: neither the template nor the request names a farm.
Decision decide(const Rows&, const ApplyTemplate&, const Context&);

}  // namespace tilth
