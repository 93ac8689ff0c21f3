#include "events/values/units.h"

namespace tilth {

// The international foot is 0.3048 m and the international acre 43,560 square feet; a feddan is 333
// 1/3 square qasaba, as the contract rounds it, and a dunam the metric one.
Fraction hectares(AreaUnit unit) {
  switch (unit) {
    case AreaUnit::kHectare:
      return 1;
    case AreaUnit::kAcre:
      return exact("0.40468564224");
    case AreaUnit::kSquareMeter:
      return exact("0.0001");
    case AreaUnit::kSquareFoot:
      return exact("0.000009290304");
    case AreaUnit::kFeddan:
      return exact("0.420083");
    case AreaUnit::kDunam:
      return exact("0.1");
  }
  return 1;
}

Fraction kilograms(YieldUnit unit) {
  switch (unit) {
    case YieldUnit::kKilogram:
      return 1;
    case YieldUnit::kTon:
      return 1'000;
    case YieldUnit::kPound:
      return exact("0.45359237");
  }
  return 1;
}

Fraction cubic_meters(VolumeUnit unit) {
  return unit == VolumeUnit::kLiter ? exact("0.001") : Fraction(1);
}

}  // namespace tilth
