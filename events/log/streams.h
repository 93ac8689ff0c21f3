// The streams that belong to no owner, and the actors that are not users' keys.

#pragma once

#include <string_view>

namespace tilth {

// Reference data, which all owners read and only operators write: the crop library, exchange rates,
// global templates. The stream may be in another partition than an owner's. What an owner's event
// needs from it is decided before the append and stored in the event, so that evolve() never reads
// another stream.
inline constexpr std::string_view kReferenceStream = "reference";

// Users and their API keys.
inline constexpr std::string_view kAccessStream = "access";

// Actors other than users.
inline constexpr std::string_view kOperatorActor = "operator";
inline constexpr std::string_view kClockActor = "clock";

}  // namespace tilth
