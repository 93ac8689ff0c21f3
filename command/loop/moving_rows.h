// What is asked of rows that another node of the cluster has now, or will have.

#pragma once

#include "events/values/result.h"

namespace tilth {

inline Error rows_are_moving() {
  return {.code = ErrorCode::kUnavailable,
          .message = "These rows are moving to another node.",
          .retry_after_seconds = 1};
}

}  // namespace tilth
