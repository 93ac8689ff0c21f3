#include "command/decision.h"

#include <algorithm>

namespace tilth {

Status Context::permits_tag(const std::string& tag) const {
  const bool holds = std::any_of(if_match->begin(), if_match->end(), [&](const auto& wanted) {
    return wanted == "*" || wanted == tag;
  });
  if (holds) return kDone;
  return Error{ErrorCode::kPreconditionFailed, "The record no longer has the ETag of If-Match."};
}

Uuid following(Uuid first, std::size_t steps) {
  for (std::size_t i = first.bytes.size(); steps > 0 && i-- > first.bytes.size() - 6; steps >>= 8) {
    const auto sum = first.bytes.at(i) + (steps & 0xFF);
    first.bytes.at(i) = static_cast<std::uint8_t>(sum);
    steps += sum & 0x100;
  }
  return first;
}

}  // namespace tilth
