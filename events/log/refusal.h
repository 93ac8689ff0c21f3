// The form of a refusal in a response and in the log.

#pragma once

#include "events/log/request.h"
#include "events/values/result.h"

namespace tilth {

// {code, message, details}: details are the error's issues ({path: [messages]}) and facts. Of more
// than 100 messages it has 99, and under "more" how many are left out.
RequestRefused refusal_of(const Error& error, Timestamp at);

// Whether the response to a request with an Idempotency-Key is stored. A refusal is, if it depends
// on the request and the current state, but not if it may change in a moment (docs/api.md, "Asking
// again safely").
constexpr bool is_kept(ErrorCode code) {
  return code == ErrorCode::kInvalidId || code == ErrorCode::kInvalid ||
         code == ErrorCode::kNotFound || code == ErrorCode::kPreconditionFailed ||
         code == ErrorCode::kPlanLimitExceeded || code == ErrorCode::kConflict;
}

}  // namespace tilth
