// What a record that counts makes of the rows: the one rule of every fold.

#pragma once

#include "events/event_log.h"
#include "projections/projection.h"

namespace tilth {

// Counts the record for its stream, lets the event change the rows, and keeps what its request was
// told. Null: the event is passed over. What it takes with it is in rows.sweeps().
void fold_record(const Projection& projection, MutableRows& rows, const LoggedRecord& logged,
                 const Event* event);

// The event of a record. kDamaged: it cannot be read, and which and why.
Result<Event> event_of(const LoggedRecord& logged);

}  // namespace tilth
