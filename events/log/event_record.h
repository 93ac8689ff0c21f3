// An event and the record that stores it.

#pragma once

#include <string>

#include "events/log/event.h"
#include "events/log/event_log.h"

namespace tilth {

// Writes `event` into `record`: type, version and JSON. The record also carries the event itself,
// so that this process never decodes it.
void write_event(Event event, Record& record);

// The event that the record carries, else the result of decode() on its JSON. kDamaged: it cannot
// be read; the message is a sentence.
Result<Event> read_event(const Record& record);

// Has read_event() return kDamaged with that sentence: this process cannot read what is stored. The
// JSON is that sentence from now on, and no object. The record counts as before, so that its stream
// has the same version on every node.
void set_unreadable(Record& record, const std::string& why);

}  // namespace tilth
