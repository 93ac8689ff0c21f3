#include "query/analytics/yield_formulas.h"

#include <algorithm>

namespace tilth {

YieldFactor survival_factor(const PlantCounts& plants) {
  const auto left = vitality(plants);
  if (!left) return {1, "No plants are registered."};
  return {*left, std::to_string(plants.all()) + " plants: " + std::to_string(plants.alive) +
                     " alive, " + std::to_string(plants.sick) + " sick, " +
                     std::to_string(plants.dead) + " dead."};
}

YieldFactor soil_factor(const std::optional<Fraction>& ph, const PhRange& range) {
  if (!ph) return {1, "The soil's pH is not known."};
  if (!range.known()) return {1, "The library does not say which pH suits the crop."};
  const auto by = outside(*ph, range);
  const auto reading = "A pH of " + rounded(*ph, 2);
  if (by == 0) return {1, reading + " suits the crop."};
  return {std::max(Fraction(7, 10), Fraction(1 - by / 5)),
          reading + " is " + rounded(by, 2) + " outside of what suits the crop."};
}

YieldFactor water_factor(const WaterBalance& water) {
  if (!water.required_mm) return {1, "What water the crop needs is not known."};
  if (water.irrigations == 0) return {1, "No irrigation is recorded since planting."};
  if (*water.required_mm <= 0) return {1, "The crop has needed no water yet."};
  const auto given = std::min(Fraction(1), Fraction(water.applied_mm / *water.required_mm));
  const auto left = Fraction(1 - water.ky * (1 - given));
  return {std::clamp(left, Fraction(3, 10), Fraction(1)),
          rounded(water.applied_mm, 1) + " mm of water were applied of " +
              rounded(*water.required_mm, 1) + " mm needed until now; Ky is " +
              rounded(water.ky, 2) + "."};
}

Fraction required_mm(const Fraction& whole, std::int64_t days, std::int64_t days_to_maturity) {
  return whole * std::min(Fraction(1), Fraction(days, days_to_maturity));
}

std::optional<YieldBase> own_history(const std::vector<Harvest>& harvests) {
  Fraction tons, hectares;
  for (const auto& harvest : harvests) tons += harvest.tons, hectares += harvest.hectares;
  if (hectares == 0) return std::nullopt;
  return YieldBase{
      .method = YieldMethod::kOwnHistory, .typical = tons / hectares, .own_crops = harvests.size()};
}

YieldEstimate estimate(const YieldBase& base, const Fraction& hectares, const Fraction& factors) {
  constexpr std::size_t kSteady = 3;  // own crops needed to rule out a lucky year
  const Fraction times = hectares * factors;
  const Fraction predicted = base.typical * times;
  const auto within = [&](int percent, YieldConfidence confidence) -> YieldEstimate {
    return {predicted, predicted * Fraction(100 - percent, 100),
            predicted * Fraction(100 + percent, 100), base.typical * factors, confidence};
  };
  if (base.method == YieldMethod::kOwnHistory && base.own_crops >= kSteady) {
    return within(15, YieldConfidence::kHigh);
  }
  if (base.method != YieldMethod::kLibrary) return within(25, YieldConfidence::kMedium);
  auto bounds = within(40, YieldConfidence::kLow);
  if (base.low && base.high) bounds.lower = *base.low * times, bounds.upper = *base.high * times;
  return bounds;
}

}  // namespace tilth
