// Details and events of a crop: one planting of one kind on one field.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/field.h"
#include "events/land/location.h"
#include "events/library/admin_crop.h"

namespace tilth {

enum class CropStatus : std::uint8_t { kPlanned, kPlanted, kGrowing, kHarvested, kFailed };

constexpr auto labels(CropStatus) {
  return named<CropStatus>("planned", "planted", "growing", "harvested", "failed");
}

enum class YieldUnit : std::uint8_t { kKilogram, kTon, kPound };

constexpr auto labels(YieldUnit) { return named<YieldUnit>("kg", "ton", "lb"); }

template <template <class> class As>
struct CropDetails {
  As<std::string> crop_type = {};
  As<std::optional<std::string>> variety = {};
  As<std::optional<AdminCropId>> admin_crop_id = {};
  As<std::optional<VarietyId>> variety_id = {};
  As<std::optional<Date>> planting_date = {};
  As<std::optional<Date>> expected_harvest_date = {};
  As<std::optional<Date>> actual_harvest_date = {};
  As<std::optional<Decimal>> area = {};
  As<std::optional<std::int64_t>> plant_count = {};
  As<std::optional<Decimal>> expected_yield = {};
  As<std::optional<Decimal>> actual_yield = {};
  As<YieldUnit> yield_unit = {};
  As<CropStatus> status = {};
  As<std::optional<std::string>> notes = {};

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    constexpr bool kRequired = kWhole<As>;
    return ar(
        member("cropType", crop_type, {.required = kRequired, .min_length = 1, .max_length = 100}),
        member("variety", variety, {.max_length = 100}), member("adminCropId", admin_crop_id),
        member("varietyId", variety_id), member("plantingDate", planting_date),
        member("expectedHarvestDate", expected_harvest_date, {.doc = "Not before plantingDate."}),
        member("actualHarvestDate", actual_harvest_date,
               {.doc = "Set to today when the crop becomes harvested, unless given."}),
        member("area", area, {.positive = true, .doc = "In the farm's areaUnit."}),
        member("plantCount", plant_count, {.min = 1, .max = 1'000'000}),
        member("expectedYield", expected_yield, {.min = 0}),
        member("actualYield", actual_yield, {.min = 0}), member("yieldUnit", yield_unit),
        member("status", status), member("notes", notes, {.max_length = 5'000}));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct CropRegistered : Recorded<Crop, OnField, CropDetails<Own>> {
  static constexpr EventType kType{"tilth.crop.registered"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "cropId", "registeredAt");
  }
};

// Stored forever. Holds the members that the request carried, and the harvest date that is set when
// the crop becomes harvested.
struct CropAmended : Amended<Crop, CropDetails> {
  static constexpr EventType kType{"tilth.crop.amended"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "cropId");
  }
};

// Stored forever. Cascades to the crop's blocks and all that belongs to them, its sales and its
// expenses.
struct CropRemoved : Removed<Crop> {
  static constexpr EventType kType{"tilth.crop.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "cropId");
  }
};

}  // namespace tilth
