// The formulas of the yield prediction. docs/analytics.md has their sources. Pure and exact.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/analytics/health_formulas.h"

namespace tilth {

// The factor that reduces a crop's yield, from 0 to 1, and the reason.
struct YieldFactor {
  Fraction multiplier = 1;
  std::string detail;
};

YieldFactor survival_factor(const PlantCounts& plants);
YieldFactor soil_factor(const std::optional<Fraction>& ph, const PhRange& range);

// The water that the crop has needed since its planting, and that its field was given.
struct WaterBalance {
  std::optional<Fraction> required_mm = {};  // null: unknown
  Fraction applied_mm = 0;
  std::uint64_t irrigations = 0;
  Fraction ky = 1;  // how strongly a lack of water reduces the yield
};
YieldFactor water_factor(const WaterBalance& water);

// The part of `whole`, a crop's need from planting to harvest, that it has after so many days.
Fraction required_mm(const Fraction& whole, std::int64_t days, std::int64_t days_to_maturity);

enum class YieldMethod : std::uint8_t { kOwnHistory, kVariety, kLibrary };

constexpr auto labels(YieldMethod) {
  return named<YieldMethod>("own_history", "variety", "library");
}

enum class YieldConfidence : std::uint8_t { kHigh, kMedium, kLow };

constexpr auto labels(YieldConfidence) { return named<YieldConfidence>("high", "medium", "low"); }

// Tons per hectare.
struct YieldBase {
  YieldMethod method = {};
  Fraction typical = 0;
  std::optional<Fraction> low = {}, high = {};  // from the library
  std::size_t own_crops = 0;
};

struct Harvest {
  Fraction tons, hectares;
};
// The yield of the owner's own crops; null without any.
std::optional<YieldBase> own_history(const std::vector<Harvest>& harvests);

struct YieldEstimate {
  Fraction predicted, lower, upper, per_hectare;  // tons
  YieldConfidence confidence = {};
};
YieldEstimate estimate(const YieldBase& base, const Fraction& hectares, const Fraction& factors);

}  // namespace tilth
