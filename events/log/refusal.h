// The form in which a refusal is answered, and in which the log keeps it.

#pragma once

#include "events/log/request.h"
#include "events/values/result.h"

namespace tilth {

// {code, message, details}: details are the error's issues ({path: [messages]}) and facts.
RequestRefused refusal_of(const Error& error, Timestamp at);

// Whether the answer to a request with an Idempotency-Key is kept: what the request and the present
// state say, but not what will be different in a moment (docs/api.md, "Asking again safely").
constexpr bool is_kept(ErrorCode code) {
  return code == ErrorCode::kInvalidId || code == ErrorCode::kInvalid ||
         code == ErrorCode::kNotFound || code == ErrorCode::kPreconditionFailed ||
         code == ErrorCode::kPlanLimitExceeded || code == ErrorCode::kConflict;
}

}  // namespace tilth
