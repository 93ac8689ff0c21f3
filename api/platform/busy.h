// What a request is refused with that may succeed a moment later.

#pragma once

#include <string>
#include <utility>

#include "events/values/result.h"

namespace tilth {

inline Error busy(std::string message) {
  return {.code = ErrorCode::kUnavailable, .message = std::move(message), .retry_after_seconds = 1};
}

}  // namespace tilth
