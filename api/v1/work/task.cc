#include "command/work/task.h"

#include "api/routing/resource_route.h"
#include "query/work/task.h"

namespace tilth {

std::vector<Route> task_routes() {
  constexpr std::string_view kMany = "/tasks";
  constexpr std::string_view kOne = "/tasks/{id}";
  constexpr auto kRead = Scope::kTasksRead, kWrite = Scope::kTasksWrite;
  return {
      explained(listing<ListTasks>(kMany, kRead, "List the tasks"),
                "Lists the tasks on all farms; an open task whose `dueDate` has passed is shown "
                "and found as `overdue`."),
      explained(creation<CreateTask, Task>(kMany, kWrite, "Create a task"),
                "Plans a piece of work on a farm, and links it to a crop, a field or a block of "
                "that farm."),
      single<TaskPath, Task>(kOne, kRead, "Show a task"),
      explained(amendment<Update<Task>, Task>(kOne, kWrite, "Update a task"),
                "A task that becomes completed gets its `completedDate` unless it is given."),
      explained(
          amendment<CompleteTask, Task>("/tasks/{id}/complete", kWrite, "Complete a task", "POST"),
          "Marks the work as done now, with a photo, a position and notes as evidence."),
      explained(
          amendment<RescheduleTask, Task>("/tasks/{id}/reschedule", kWrite, "Reschedule a task"),
          "Moves a task to another `dueDate`, which also decides whether it is overdue."),
      removal<Delete<Task>>(kOne, kWrite, "Remove a task"),
  };
}

}  // namespace tilth
