#include "query/analytics/yield_prediction.h"

#include <algorithm>
#include <map>
#include <utility>

#include "projections/operations/irrigation.h"
#include "query/analytics/growing.h"
#include "query/land/crop.h"
#include "query/land/entries.h"

namespace tilth {
namespace {

constexpr int kDigits = 3;

// Looks up the owner's harvests, once per type of crop.
class OwnHistory {
 public:
  explicit OwnHistory(const Rows& rows) : rows_(rows) {}

  // The yield of the last crops of that type, ignoring case, with a recorded yield and an area.
  const std::optional<YieldBase>& of(const std::string& crop_type) {
    const auto type = fold_case(crop_type);
    auto known = known_.find(type);
    if (known == known_.end()) known = known_.emplace(type, own_history(last_harvests(type))).first;
    return known->second;
  }

 private:
  static constexpr std::size_t kLast = 5;

  std::vector<Harvest> last_harvests(const std::string& type) const {
    ListCrops harvested;
    harvested.status = CropStatus::kHarvested;
    harvested.crop_type = type;
    using Newest = std::pair<std::optional<Date>, CropId>;
    std::vector<Newest> all;
    for_each_row(rows_, harvested, {}, [&](const Crop& crop) {
      if (crop.details.actual_yield) all.emplace_back(crop.details.actual_harvest_date, crop.id);
    });
    std::sort(all.begin(), all.end(), std::greater<>());
    std::vector<Harvest> last;
    for (const auto& [date, id] : all) {
      if (last.size() == kLast) break;
      const auto crop = rows_.find(id);
      const auto farm = crop ? rows_.find(crop->farm_id) : std::nullopt;
      if (!farm) continue;
      const auto area = hectares_of(rows_, *crop, farm->details.area_unit);
      if (area)
        last.push_back({tons(*crop->details.actual_yield, crop->details.yield_unit), *area});
    }
    return last;
  }

  const Rows& rows_;
  std::map<std::string, std::optional<YieldBase>> known_;
};

std::optional<YieldBase> base_of(YieldMethod method, const std::optional<YieldRange>& range) {
  if (!range || !range->typical) return std::nullopt;
  const auto figure = [](const std::optional<Figure>& value) {
    return value ? std::optional(exact(*value)) : std::nullopt;
  };
  return YieldBase{method, exact(*range->typical), figure(range->low), figure(range->high)};
}

std::optional<YieldBase> yield_base(const Crop& crop, const LibraryKind& kind,
                                    OwnHistory& history) {
  if (const auto& own = history.of(crop.details.crop_type)) return own;
  if (kind.variety) {
    const auto base = base_of(YieldMethod::kVariety, kind.variety->details.yield_override);
    if (base) return base;
  }
  return kind.crop ? base_of(YieldMethod::kLibrary, kind.crop->details.yield_per_hectare)
                   : std::nullopt;
}

// All that the field was given since 00:00 of the planting date, in the farm's time zone.
WaterBalance water_balance(const Rows& rows, const Crop& crop, const LibraryKind& kind,
                           const Farm& farm, Timestamp now) {
  WaterBalance water;
  const auto& planted = crop.details.planting_date;
  const auto days_to_maturity =
      kind.of(&VarietyDetails<Own>::days_to_maturity, &AdminCropDetails<Own>::days_to_maturity);
  const auto field = rows.find(crop.field_id);
  if (!field || !planted || !days_to_maturity || !kind.crop) return water;
  const auto& needs = kind.crop->details;
  if (!needs.water_requirement_mm) return water;
  if (needs.ky) water.ky = exact(*needs.ky);
  const auto days = (date_in(farm.details.timezone, now).day - planted->day).count();
  water.required_mm = required_mm(exact(*needs.water_requirement_mm), days, *days_to_maturity);

  const ListEntries<Irrigation> since{
      {farm.id, field->id}, {start_of(*planted, farm.details.timezone), LastInstant{now}}};
  Fraction applied;
  for_each_row(rows, since, {}, [&](const Irrigation& irrigation) {
    ++water.irrigations;
    applied +=
        exact(irrigation.details.water_volume) * cubic_meters(irrigation.details.volume_unit);
  });
  // A millimeter on a hectare is ten cubic meters.
  water.applied_mm = applied / (10 * hectares(field->details.area, farm.details.area_unit));
  return water;
}

class Predictor {
 public:
  Predictor(const Rows& rows, const Farm& farm, Timestamp now)
      : rows_(rows), farm_(farm), now_(now), history_(rows), prediction_{farm.id} {}

  void add(const Crop& crop) {
    const auto skip = [&](SkipReason reason) { prediction_.skipped.push_back({crop.id, reason}); };
    const auto status = crop.details.status;
    if (status == CropStatus::kHarvested || status == CropStatus::kFailed) {
      return skip(SkipReason::kNotGrowing);
    }
    const auto area = hectares_of(rows_, crop, farm_.details.area_unit);
    if (!area) return skip(SkipReason::kNoArea);
    const auto kind = kind_of(rows_, crop);
    const auto base = yield_base(crop, kind, history_);
    if (!base) return skip(SkipReason::kNoYieldBase);
    predict(crop, kind, *area, *base);
  }

  YieldPrediction finish() {
    for (const auto& [type, total] : totals_) {
      prediction_.totals.push_back(
          {type, computed(total.hectares, kDigits), computed(total.tons, kDigits)});
    }
    prediction_.calculated_at = now_;
    return std::move(prediction_);
  }

 private:
  void predict(const Crop& crop, const LibraryKind& kind, const Fraction& area,
               const YieldBase& base) {
    const auto field = rows_.find(crop.field_id);
    const auto ph = field && field->details.soil_ph ? std::optional(exact(*field->details.soil_ph))
                                                    : std::nullopt;
    const std::array factors{survival_factor(count_plants(rows_, crop)),
                             soil_factor(ph, ph_range(kind.crop)),
                             water_factor(water_balance(rows_, crop, kind, farm_, now_))};
    Fraction product = 1;
    std::vector<PredictionFactor> shown;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      product *= factors[i].multiplier;
      shown.push_back({static_cast<YieldFactorKey>(i), computed(factors[i].multiplier, kDigits),
                       factors[i].detail});
    }
    const auto yields = estimate(base, area, product);
    auto& total = totals_[crop.details.crop_type];
    total.hectares += area, total.tons += yields.predicted;
    prediction_.predictions.push_back(
        {.crop_id = crop.id,
         .crop_type = crop.details.crop_type,
         .field_id = crop.field_id,
         .area_hectares = computed(area, kDigits),
         .predicted_yield = computed(yields.predicted, kDigits),
         .yield_per_hectare = computed(yields.per_hectare, kDigits),
         .lower_bound = computed(yields.lower, kDigits),
         .upper_bound = computed(yields.upper, kDigits),
         .confidence = yields.confidence,
         .method = base.method,
         .factors = std::move(shown),
         .expected_harvest_date = crop.details.expected_harvest_date});
  }

  const Rows& rows_;
  const Farm& farm_;
  const Timestamp now_;
  OwnHistory history_;
  std::map<std::string, Harvest> totals_;
  YieldPrediction prediction_;
};

}  // namespace

Result<YieldPrediction> run_query(const Rows& rows, const AskYieldPrediction& query,
                                  Timestamp now) {
  const auto farm = find(rows, query.at);
  if (!farm) return Error{ErrorCode::kNotFound, "There is no such farm."};
  Predictor predictor(rows, *farm, now);
  if (query.crop_id) {
    const auto crop = rows.find(*query.crop_id);
    if (!crop || crop->farm_id != farm->id) {
      return Error{ErrorCode::kNotFound, "There is no such crop."};
    }
    predictor.add(*crop);
  } else {
    ListCrops crops;
    crops.farm_id = farm->id;
    for_each_row(rows, crops, {.order = Order::kAscending}, [&](const Crop& crop) {
      const auto status = crop.details.status;
      if (status != CropStatus::kHarvested && status != CropStatus::kFailed) predictor.add(crop);
    });
  }
  return predictor.finish();
}

}  // namespace tilth
