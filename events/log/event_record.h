// An event and the record that keeps it.

#pragma once

#include "events/log/event.h"
#include "events/log/event_log.h"

namespace tilth {

// Makes `event` the content of `record`: type, version and JSON. The record carries the event
// itself, too, so that this process never decodes it.
void write_event(Event event, Record& record);

// The event that the record carries, or else what decode() makes of its JSON.
Result<Event> read_event(const Record& record);

}  // namespace tilth
