// What all owners read and only operators write: the crop library, and what else is the same for
// everybody.

#pragma once

#include <string_view>

namespace tilth {

// All of it is one stream, which may lie in another partition than an owner's. What an owner's
// event needs from it is decided before the append and stored in the event, so that evolving never
// looks into another stream.
inline constexpr std::string_view kReferenceStream = "reference";

// Who does what no user does.
inline constexpr std::string_view kOperatorActor = "operator";
inline constexpr std::string_view kClockActor = "clock";

}  // namespace tilth
