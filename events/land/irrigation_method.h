// How land is watered: set for a farm as a whole, and for a field that differs.

#pragma once

#include <cstdint>

#include "events/json/described.h"

namespace tilth {

enum class IrrigationMethod : std::uint8_t { kDrip, kSprinkler, kFlood, kPivot, kManual, kNone };

constexpr auto labels(IrrigationMethod) {
  return named<IrrigationMethod>("drip", "sprinkler", "flood", "pivot", "manual", "none");
}

}  // namespace tilth
