// Of when an answer has to be: what Tilth-Min-Position and Tilth-As-Of ask for.

#pragma once

#include <optional>

#include "api/http/http.h"
#include "api/routing/operation.h"
#include "events/log/event_log.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// At least as new as that. kInvalid: malformed.
Result<std::optional<Position>> min_position(const HttpRequest& request);

// As it was then; null: now. kInvalid: no instant, in the future, or not asked of such an
// operation.
Result<std::optional<Timestamp>> earlier_time(const HttpRequest& request,
                                              const Operation& operation, Timestamp now);

}  // namespace tilth
