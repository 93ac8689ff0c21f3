#include "events/work/task.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> task_events() {
  return codecs_of<TaskCreated, TaskAmended, TaskCompleted, TaskRescheduled, TaskRemoved>();
}

}  // namespace tilth
