// Details and events of a farm: the land that one user keeps under one name.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/json/described.h"
#include "events/land/irrigation_method.h"
#include "events/land/location.h"
#include "events/values/decimal.h"
#include "events/values/geometry.h"
#include "events/values/ids.h"
#include "events/values/places.h"
#include "events/values/time.h"
#include "events/values/time_zone.h"

namespace tilth {

enum class AreaUnit : std::uint8_t {
  kHectare,
  kAcre,
  kSquareMeter,
  kSquareFoot,
  kFeddan,
  kDunam,
};

constexpr auto labels(AreaUnit) {
  return named<AreaUnit>("hectare", "acre", "square_meter", "square_foot", "feddan", "dunam");
}

enum class FarmStatus : std::uint8_t { kActive, kInactive, kArchived, kDraft };

constexpr auto labels(FarmStatus) {
  return named<FarmStatus>("active", "inactive", "archived", "draft");
}

template <template <class> class As>
struct FarmDetails {
  As<std::string> name = {};
  As<std::string> farm_type = initially<As>(std::string("commercial"));
  As<std::string> primary_use = initially<As>(std::string("crops"));
  As<std::optional<std::string>> description = {};
  As<std::optional<std::string>> address = {};
  As<std::optional<std::string>> city = {};
  As<std::optional<std::string>> region = {};
  As<std::optional<Country>> country = {};
  As<std::optional<LatLng>> location = {};
  As<std::optional<Polygon>> boundaries = {};
  As<TimeZone> timezone = {};
  As<Decimal> total_area = {};
  As<AreaUnit> area_unit = {};
  As<std::optional<Currency>> currency = {};
  As<std::optional<std::string>> soil_type = {};
  As<std::optional<IrrigationMethod>> irrigation_system = {};
  As<std::optional<Decimal>> irrigation_flow_rate_per_emitter = {};
  As<std::optional<std::int64_t>> emitters_per_plant = {};
  As<std::optional<Decimal>> drip_line_spacing_meters = {};
  As<FarmStatus> status = {};

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    constexpr bool kRequired = kWhole<As>;
    return ar(member("name", name,
                     {.required = kRequired,
                      .min_length = 1,
                      .max_length = 200,
                      .doc = "Unique among the owner's farms."}),
              member("farmType", farm_type, {.max_length = 50}),
              member("primaryUse", primary_use, {.max_length = 50}),
              member("description", description, {.max_length = 2'000}),
              member("address", address, {.max_length = 500}),
              member("city", city, {.max_length = 100}),
              member("region", region, {.max_length = 100}),
              member("country", country, {.doc = "A name or an ISO 3166-1 code."}),
              member("location", location),
              member("boundaries", boundaries, {.doc = "A GeoJSON Polygon."}),
              member("timezone", timezone, {.doc = "A name of the tz database."}),
              member("totalArea", total_area,
                     {.required = kRequired, .positive = true, .doc = "In areaUnit."}),
              member("areaUnit", area_unit, {.doc = "Changing it converts nothing."}),
              member("currency", currency), member("soilType", soil_type, {.max_length = 100}),
              member("irrigationSystem", irrigation_system),
              member("irrigationFlowRatePerEmitter", irrigation_flow_rate_per_emitter,
                     {.min = 0, .max = 100, .doc = "Liters per hour."}),
              member("emittersPerPlant", emitters_per_plant, {.min = 0, .max = 50}),
              member("dripLineSpacingMeters", drip_line_spacing_meters, {.min = 0, .max = 20}),
              member("status", status));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct FarmRegistered : Recorded<Farm, Nowhere, FarmDetails<Own>> {
  static constexpr EventType kType{"tilth.farm.registered"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "farmId", "registeredAt");
  }
};

// Stored forever. Holds the members that the request carried.
struct FarmAmended : Amended<Farm, FarmDetails> {
  static constexpr EventType kType{"tilth.farm.amended"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "farmId");
  }
};

// Stored forever. Cascades to everything on the farm.
struct FarmRemoved : Removed<Farm> {
  static constexpr EventType kType{"tilth.farm.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "farmId");
  }
};

}  // namespace tilth
