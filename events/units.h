// What units are worth, exactly.

#pragma once

#include "events/crop.h"
#include "events/exact.h"
#include "events/farm.h"
#include "events/irrigation.h"

namespace tilth {

Fraction hectares(AreaUnit unit);
Fraction kilograms(YieldUnit unit);
Fraction cubic_meters(VolumeUnit unit);

inline Fraction hectares(const Decimal& area, AreaUnit unit) {
  return exact(area) * hectares(unit);
}
inline Fraction tons(const Decimal& quantity, YieldUnit unit) {
  return exact(quantity) * kilograms(unit) / 1'000;
}

}  // namespace tilth
