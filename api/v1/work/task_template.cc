#include "command/work/task_template.h"

#include <algorithm>
#include <iterator>

#include "api/routing/resource_route.h"
#include "query/work/task_template.h"

namespace tilth {
namespace {

std::vector<Route> spelled(std::string_view many, std::string_view one, std::string_view apply) {
  constexpr auto kRead = Scope::kTasksRead, kWrite = Scope::kTasksWrite;
  return {
      explained(listing<ListTaskTemplates>(many, kRead, "List the task templates"),
                "Lists your own templates and the active ones that are shared by all owners."),
      creation<CreateTaskTemplate, TaskTemplate>(many, kWrite, "Create a task template"),
      single<TaskTemplatePath, TaskTemplate>(one, kRead, "Show a task template"),
      explained(
          amendment<Update<TaskTemplate>, TaskTemplate>(one, kWrite, "Update a task template"),
          "Tasks that were made of it before stay as they are."),
      explained(removal<Delete<TaskTemplate>>(one, kWrite, "Remove a task template"),
                "Recurring tasks that use it stop."),
      explained(creation<ApplyTemplate, Task>(apply, kWrite, "Create a task from a template",
                                              "/api/v1/tasks"),
                "The task takes its members from the template, except those that the body gives."),
  };
}

}  // namespace

std::vector<Route> task_template_routes() {
  auto routes = spelled("/templates", "/templates/{id}", "/templates/{id}/apply");
  auto aliases =
      as_aliases(spelled("/task-templates", "/task-templates/{id}", "/task-templates/{id}/apply"));
  std::move(aliases.begin(), aliases.end(), std::back_inserter(routes));
  return routes;
}

}  // namespace tilth
