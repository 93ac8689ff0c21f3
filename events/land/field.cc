#include "events/land/field.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> field_events() {
  return codecs_of<FieldRegistered, FieldAmended, FieldRemoved>();
}

}  // namespace tilth
