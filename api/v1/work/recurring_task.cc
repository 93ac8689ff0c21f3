#include "command/work/recurring_task.h"

#include "api/routing/resource_route.h"
#include "query/work/recurring_task.h"

namespace tilth {

std::vector<Route> recurring_task_routes() {
  constexpr std::string_view kMany = "/recurring-tasks";
  constexpr std::string_view kOne = "/recurring-tasks/{id}";
  constexpr auto kRead = Scope::kTasksRead, kWrite = Scope::kTasksWrite;
  return {
      listing<ListRecurringTasks>(kMany, kRead, "List the recurring tasks"),
      creation<CreateRecurringTask, RecurringTask>(kMany, kWrite, "Create a recurring task"),
      single<RecurringTaskPath, RecurringTask>(kOne, kRead, "Show a recurring task"),
      amendment<Update<RecurringTask>, RecurringTask>(kOne, kWrite, "Amend a recurring task"),
      removal<Delete<RecurringTask>>(kOne, kWrite, "Remove a recurring task"),
  };
}

}  // namespace tilth
