// What a record that counts makes of the rows: the one rule of every fold.

#pragma once

#include <memory>

#include "events/log/event_log.h"
#include "projections/fold/projection.h"

namespace tilth {

// Lets the event change the rows, and keeps what its request was told. What it takes with it is in
// rows.cascade(). That the stream stands one higher by then, the caller keeps.
void fold_record(const Projection& projection, MutableRows& rows, const LoggedRecord& logged,
                 const Event& event);

// Whether the projection folds this record, or stops at it: a foreign one that it does not know to
// be meant for others may have been meant for it.
bool concerns(const Projection& projection, const Record& record);

// The event of a record. kDamaged: it cannot be read, and which and why.
Result<Event> event_of(const LoggedRecord& logged);

}  // namespace tilth
