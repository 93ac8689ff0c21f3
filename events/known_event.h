// An event that goes along with its record, so that nobody in the process that made it has to
// decode it.

#pragma once

#include <memory>

#include "events/catalogue.h"
#include "events/event_log.h"

namespace tilth {

struct KnownEvent {
  Event event;
};

// Makes `event` what `record` is about: type, version and JSON. What is read back from these is the
// very same event.
void write_event(Event event, Record& record);

// What a record is about: what is known, or else what decode() says.
Result<std::shared_ptr<const Event>> read_event(const Record& record);

}  // namespace tilth
