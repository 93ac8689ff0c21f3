// Details and events of a crop in the crop library, and of its varieties. Growers' own crops are in
// events/land/crop.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "events/json/described.h"
#include "events/values/decimal.h"
#include "events/values/ids.h"
#include "events/values/time.h"

namespace tilth {

using AdminCropId = Id<struct AdminCrop>;
using VarietyId = Id<struct Variety>;

enum class Lifecycle : std::uint8_t { kAnnual, kBiennial, kPerennial };

constexpr auto labels(Lifecycle) { return named<Lifecycle>("annual", "biennial", "perennial"); }

enum class HarvestUnit : std::uint8_t { kTon };

constexpr auto labels(HarvestUnit) { return named<HarvestUnit>("ton"); }

template <template <class> class As>
struct YieldRangeDetails {
  As<std::optional<Figure>> low = {};
  As<std::optional<Figure>> typical = {};
  As<std::optional<Figure>> high = {};
  As<HarvestUnit> unit = {};
  friend bool operator==(const YieldRangeDetails&, const YieldRangeDetails&) = default;

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    return ar(member("low", low, {.min = 0}), member("typical", typical, {.min = 0}),
              member("high", high, {.min = 0}), member("unit", unit));
  }
};

// The yield per hectare.
struct YieldRange : YieldRangeDetails<Own> {};

template <template <class> class As>
struct ClimateRangeDetails {
  As<std::optional<Figure>> temperature_min_c = {};
  As<std::optional<Figure>> temperature_max_c = {};
  friend bool operator==(const ClimateRangeDetails&, const ClimateRangeDetails&) = default;

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    return ar(member("temperatureMinC", temperature_min_c, {.min = -100, .max = 100}),
              member("temperatureMaxC", temperature_max_c, {.min = -100, .max = 100}));
  }
};

struct ClimateRange : ClimateRangeDetails<Own> {};

// Within details: the whole in Details<Own>, its changes in Details<Patch>.
template <template <class> class As>
using YieldRangeIn = std::conditional_t<kWhole<As>, YieldRange, YieldRangeDetails<As>>;

template <template <class> class As>
using ClimateRangeIn = std::conditional_t<kWhole<As>, ClimateRange, ClimateRangeDetails<As>>;

template <template <class> class As>
struct AdminCropDetails {
  As<std::string> name = {};
  As<std::optional<std::string>> scientific_name = {};
  As<std::optional<std::string>> category = {};
  As<std::optional<Lifecycle>> lifecycle = {};
  As<std::optional<std::int64_t>> days_to_maturity = {};
  As<std::optional<Figure>> spacing_x = {};
  As<std::optional<Figure>> spacing_y = {};
  As<std::optional<Figure>> plant_density = {};
  As<std::optional<YieldRangeIn<As>>> yield_per_hectare = {};
  As<std::optional<Figure>> soil_ph_min = {};
  As<std::optional<Figure>> soil_ph_max = {};
  As<std::optional<Figure>> temperature_min_c = {};
  As<std::optional<Figure>> temperature_max_c = {};
  As<std::optional<Figure>> water_requirement_mm = {};
  As<std::optional<Figure>> kc_initial = {};
  As<std::optional<Figure>> kc_mid = {};
  As<std::optional<Figure>> kc_end = {};
  As<std::optional<Figure>> ky = {};
  As<std::optional<Figure>> bushel_weight_kg = {};
  As<bool> is_verified = initially<As>(true);
  As<bool> is_active = initially<As>(true);
  friend bool operator==(const AdminCropDetails&, const AdminCropDetails&) = default;

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    return ar(
        member("name", name, {.min_length = 1, .max_length = 200}),
        member("scientificName", scientific_name, {.max_length = 200}),
        member("category", category, {.max_length = 100}), member("lifecycle", lifecycle),
        member("daysToMaturity", days_to_maturity, {.min = 1, .max = 36'500}),
        member("spacingX", spacing_x, {.min = 0, .max = 10'000, .doc = "Between rows, in meters."}),
        member("spacingY", spacing_y,
               {.min = 0, .max = 10'000, .doc = "Between plants, in meters."}),
        member("plantDensity", plant_density,
               {.min = 0, .max = 1'000'000, .doc = "Plants per hectare."}),
        member("yieldPerHectare", yield_per_hectare),
        member("soilPhMin", soil_ph_min, {.min = 0, .max = 14}),
        member("soilPhMax", soil_ph_max, {.min = 0, .max = 14}),
        member("temperatureMinC", temperature_min_c, {.min = -100, .max = 100}),
        member("temperatureMaxC", temperature_max_c, {.min = -100, .max = 100}),
        member("waterRequirementMm", water_requirement_mm,
               {.min = 0, .doc = "From planting to harvest, or of a year."}),
        member("kcInitial", kc_initial, {.min = 0, .doc = "Crop coefficient, FAO-56."}),
        member("kcMid", kc_mid, {.min = 0}), member("kcEnd", kc_end, {.min = 0}),
        member("ky", ky, {.min = 0, .doc = "Yield response to water, FAO-33."}),
        member("bushelWeightKg", bushel_weight_kg, {.positive = true}),
        member("isVerified", is_verified), member("isActive", is_active));
  }
};

template <template <class> class As>
struct VarietyDetails {
  As<std::string> variety_name = {};
  As<std::optional<std::string>> scientific_name = {};
  As<std::optional<std::string>> description = {};
  As<std::optional<std::int64_t>> days_to_maturity = {};
  As<std::optional<YieldRangeIn<As>>> yield_override = {};
  As<std::optional<ClimateRangeIn<As>>> climate_override = {};
  As<std::optional<Figure>> spacing_x = {};
  As<std::optional<Figure>> spacing_y = {};
  As<std::optional<Figure>> plant_density = {};
  friend bool operator==(const VarietyDetails&, const VarietyDetails&) = default;

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    return ar(member("varietyName", variety_name, {.min_length = 1, .max_length = 200}),
              member("scientificName", scientific_name, {.max_length = 200}),
              member("description", description, {.max_length = 2'000}),
              member("daysToMaturity", days_to_maturity,
                     {.min = 1, .max = 36'500, .doc = "Instead of the crop's."}),
              member("yieldOverride", yield_override), member("climateOverride", climate_override),
              member("spacingX", spacing_x, {.min = 0, .max = 10'000}),
              member("spacingY", spacing_y, {.min = 0, .max = 10'000}),
              member("plantDensity", plant_density, {.min = 0, .max = 1'000'000}));
  }
};

// A variety after its crop was described.
struct DescribedVariety {
  VarietyId variety_id;
  VarietyDetails<Own> details;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("varietyId", variety_id));
    details.serialize(ar);
  }
};

// Stored forever: a new shape needs a new version with an upcast(). The crop as it is from now on,
// and those of its varieties that are new or different.
struct AdminCropDescribed {
  static constexpr EventType kType{"tilth.admin_crop.described"};

  AdminCropId admin_crop_id;
  AdminCropDetails<Own> details;
  std::vector<DescribedVariety> varieties;
  Timestamp described_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("adminCropId", admin_crop_id));
    details.serialize(ar);
    ar(member("varieties", varieties), member("describedAt", described_at));
  }
};

}  // namespace tilth
