// The predicted yield of a farm's crops, its confidence, and the reasons.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projections/land/crop.h"
#include "query/analytics/yield_formulas.h"

namespace tilth {

enum class YieldFactorKey : std::uint8_t { kSurvival, kSoil, kWater };

constexpr auto labels(YieldFactorKey) { return named<YieldFactorKey>("survival", "soil", "water"); }

struct PredictionFactor {
  YieldFactorKey key = {};
  Computed multiplier = {};
  std::string detail = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("key", key), member("multiplier", multiplier), member("detail", detail));
  }
};

struct CropPrediction {
  CropId crop_id;
  std::string crop_type = {};
  FieldId field_id = {};
  Computed area_hectares = {}, predicted_yield = {};
  HarvestUnit unit = {};
  Computed yield_per_hectare = {}, lower_bound = {}, upper_bound = {};
  YieldConfidence confidence = {};
  YieldMethod method = {};
  std::vector<PredictionFactor> factors = {};
  std::optional<Date> expected_harvest_date = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cropId", crop_id), member("cropType", crop_type), member("fieldId", field_id),
       member("areaHectares", area_hectares), member("predictedYield", predicted_yield),
       member("unit", unit), member("yieldPerHectare", yield_per_hectare),
       member("lowerBound", lower_bound), member("upperBound", upper_bound),
       member("confidence", confidence), member("method", method), member("factors", factors),
       member("expectedHarvestDate", expected_harvest_date));
  }
};

// For all crops with that name.
struct PredictionTotal {
  std::string crop_type;
  Computed area_hectares = {}, predicted_yield = {};
  HarvestUnit unit = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cropType", crop_type), member("areaHectares", area_hectares),
       member("predictedYield", predicted_yield), member("unit", unit));
  }
};

enum class SkipReason : std::uint8_t { kNotGrowing, kNoArea, kNoYieldBase };

constexpr auto labels(SkipReason) {
  return named<SkipReason>("not_growing", "no_area", "no_yield_base");
}

struct SkippedCrop {
  CropId crop_id;
  SkipReason reason = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cropId", crop_id), member("reason", reason));
  }
};

struct YieldPrediction {
  FarmId farm_id;
  std::vector<CropPrediction> predictions = {};
  std::vector<PredictionTotal> totals = {};
  std::vector<SkippedCrop> skipped = {};
  std::string model_version = "1";
  Timestamp calculated_at = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("farmId", farm_id), member("predictions", predictions), member("totals", totals),
       member("skipped", skipped), member("modelVersion", model_version),
       member("calculatedAt", calculated_at));
  }
};

struct AskYieldPrediction {
  using Answer = YieldPrediction;
  FarmPath at;
  std::optional<CropId> crop_id;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cropId", crop_id, {.doc = "Of this crop alone."}));
  }
};

// kNotFound: there is no such farm, or no such crop on it.
Result<YieldPrediction> run_query(const Rows& rows, const AskYieldPrediction& query, Timestamp now);

}  // namespace tilth
