#include "command/work/recurring_task.h"

#include "api/routing/resource_route.h"
#include "query/work/recurring_task.h"

namespace tilth {

std::vector<Route> recurring_task_routes() {
  constexpr std::string_view kMany = "/recurring-tasks";
  constexpr std::string_view kOne = "/recurring-tasks/{id}";
  constexpr auto kRead = Scope::kTasksRead, kWrite = Scope::kTasksWrite;
  return {
      explained(listing<ListRecurringTasks>(kMany, kRead, "List the recurring tasks"),
                "Lists the rules by which tasks are made, with the next occurrence of each."),
      explained(
          creation<CreateRecurringTask, RecurringTask>(kMany, kWrite, "Create a recurring task"),
          "Makes a task from a template at each occurrence, in the farm's time zone. "
          "Tasks that are due already exist when the response arrives."),
      single<RecurringTaskPath, RecurringTask>(kOne, kRead, "Show a recurring task"),
      explained(
          amendment<Update<RecurringTask>, RecurringTask>(kOne, kWrite, "Update a recurring task"),
          "Tasks that were made before stay as they are; the next ones follow the new "
          "rule."),
      explained(removal<Delete<RecurringTask>>(kOne, kWrite, "Remove a recurring task"),
                "Tasks that were made before stay."),
  };
}

}  // namespace tilth
