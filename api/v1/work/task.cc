#include "command/work/task.h"

#include "api/routing/resource_route.h"
#include "query/work/task.h"

namespace tilth {

std::vector<Route> task_routes() {
  constexpr std::string_view kMany = "/tasks";
  constexpr std::string_view kOne = "/tasks/{id}";
  constexpr auto kRead = Scope::kTasksRead, kWrite = Scope::kTasksWrite;
  return {
      listing<ListTasks>(kMany, kRead, "List the tasks"),
      creation<CreateTask, Task>(kMany, kWrite, "Create a task"),
      single<TaskPath, Task>(kOne, kRead, "Show a task"),
      amendment<Update<Task>, Task>(kOne, kWrite, "Amend a task"),
      amendment<CompleteTask, Task>("/tasks/{id}/complete", kWrite, "Complete a task", "POST"),
      amendment<RescheduleTask, Task>("/tasks/{id}/reschedule", kWrite, "Reschedule a task"),
      removal<Delete<Task>>(kOne, kWrite, "Remove a task"),
  };
}

}  // namespace tilth
