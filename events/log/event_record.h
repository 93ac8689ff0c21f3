// An event and the record that stores it.

#pragma once

#include "events/log/event.h"
#include "events/log/event_log.h"

namespace tilth {

// Writes `event` into `record`: type, version and JSON. The record also carries the event itself,
// so that this process never decodes it.
void write_event(Event event, Record& record);

// The event that the record carries, else the result of decode() on its JSON.
Result<Event> read_event(const Record& record);

}  // namespace tilth
