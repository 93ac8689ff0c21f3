// How a record that counts changes the rows: the one rule of every fold.

#pragma once

#include <optional>

#include "events/log/event_log.h"
#include "projections/fold/projection.h"

namespace tilth {

// Applies the event to the rows, and stores the idempotency record of its request. What it cascades
// to is in rows.cascade(). The caller stores the stream's new version.
void fold_record(const Projection& projection, MutableRows& rows, const LoggedRecord& logged,
                 const Event& event);

// Its second part: stores the idempotency record of the request. `row` is the one that the event is
// about.
void remember_request(const Projection& projection, MutableRows& rows, const LoggedRecord& logged,
                      const Event& event, const std::optional<RowBytes>& row);

// Whether the projection folds this record, or stops at it: a foreign record may have been meant
// for it, unless its stream shows otherwise.
bool concerns(const Projection& projection, const Record& record);

// The event of a record. kDamaged: it cannot be read; the message says which one and why.
Result<Event> event_of(const LoggedRecord& logged);

}  // namespace tilth
