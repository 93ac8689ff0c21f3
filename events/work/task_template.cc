#include "events/work/task_template.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> task_template_events() {
  return codecs_of<TaskTemplateCreated, TaskTemplateAmended, TaskTemplatesImported,
                   TaskTemplateRemoved>();
}

}  // namespace tilth
