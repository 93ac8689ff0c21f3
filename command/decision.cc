#include "command/decision.h"

#include <algorithm>

namespace tilth {

Status Context::permits_tag(const std::string& tag) const {
  const bool holds = std::any_of(if_match->begin(), if_match->end(), [&](const auto& wanted) {
    return wanted == "*" || wanted == tag;
  });
  if (holds) return kDone;
  return Error{ErrorCode::kPreconditionFailed, "The record is no longer as If-Match says."};
}

}  // namespace tilth
