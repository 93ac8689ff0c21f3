#include "command/work/task_template.h"

#include "api/routing/resource_route.h"
#include "query/work/task_template.h"

namespace tilth {
namespace {

void add_routes(std::vector<Route>& routes, std::string_view many, std::string_view one,
                std::string_view apply) {
  constexpr auto kRead = Scope::kTasksRead, kWrite = Scope::kTasksWrite;
  routes.push_back(listing<ListTaskTemplates>(many, kRead, "List the task templates"));
  routes.push_back(
      creation<CreateTaskTemplate, TaskTemplate>(many, kWrite, "Create a task template"));
  routes.push_back(single<TaskTemplatePath, TaskTemplate>(one, kRead, "Show a task template"));
  routes.push_back(
      amendment<Update<TaskTemplate>, TaskTemplate>(one, kWrite, "Amend a task template"));
  routes.push_back(removal<Delete<TaskTemplate>>(one, kWrite, "Remove a task template"));
  routes.push_back(creation<ApplyTaskTemplate, Task>(apply, kWrite, "Create a task from a template",
                                                     "/api/v1/tasks"));
}

}  // namespace

std::vector<Route> task_template_routes() {
  std::vector<Route> routes;
  add_routes(routes, "/templates", "/templates/{id}", "/templates/{id}/apply");
  add_routes(routes, "/task-templates", "/task-templates/{id}", "/task-templates/{id}/apply");
  return routes;
}

}  // namespace tilth
