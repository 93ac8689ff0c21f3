// What a projector calls with each record that it has read.

#pragma once

#include <functional>
#include <optional>

#include "events/log/event.h"
#include "events/log/event_log.h"
#include "projections/rows/rows.h"

namespace tilth {

// Gets every record of the streams that the projector follows, including refused ones, once the
// resulting rows can be read. `row` is the row that the event is about.
using OnRecord = std::function<void(const LoggedRecord&, bool accepted, const std::optional<Event>&,
                                    std::optional<RowBytes> row)>;

}  // namespace tilth
