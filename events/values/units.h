// Exact conversion factors of units.

#pragma once

#include "events/land/crop.h"
#include "events/land/farm.h"
#include "events/operations/irrigation.h"
#include "events/values/exact.h"

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
