// The time of the state that a response shows: Tilth-Min-Position and Tilth-As-Of.

#pragma once

#include <optional>

#include "api/http/http.h"
#include "api/routing/operation.h"
#include "events/log/event_log.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// The response must be at least that recent. kInvalid: malformed.
Result<std::optional<Position>> min_position(const HttpRequest& request);

// The response shows the state at that time; null: now. kInvalid: not an instant, in the future, or
// not supported by the operation.
Result<std::optional<Timestamp>> earlier_time(const HttpRequest& request,
                                              const Operation& operation, Timestamp now);

}  // namespace tilth
