#include "events/work/recurring_task.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> recurring_task_events() {
  return codecs_of<RecurringTaskCreated, RecurringTaskAmended, RecurringTaskRemoved,
                   RecurringTasksAdvanced, RecurringTasksStopped>();
}

}  // namespace tilth
