// Details and events of a field: a piece of a farm's land.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/farm.h"
#include "events/land/location.h"

namespace tilth {

enum class FieldStatus : std::uint8_t { kActive, kFallow, kPreparing, kPlanted };

constexpr auto labels(FieldStatus) {
  return named<FieldStatus>("active", "fallow", "preparing", "planted");
}

template <template <class> class As>
struct FieldDetails {
  As<std::string> name = {};
  As<Decimal> area = {};
  As<std::optional<std::string>> soil_type = {};
  As<std::optional<Decimal>> soil_ph = {};
  As<FieldStatus> status = {};
  As<std::optional<std::string>> notes = {};
  As<std::optional<std::string>> description = {};
  As<std::optional<Polygon>> boundaries = {};
  As<std::optional<Decimal>> irrigation_flow_rate_per_emitter = {};
  As<std::optional<std::int64_t>> emitters_per_plant = {};
  As<std::optional<Decimal>> drip_line_spacing_meters = {};
  As<std::optional<IrrigationMethod>> custom_irrigation_system = {};

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    constexpr bool kRequired = kWhole<As>;
    return ar(member("name", name, {.required = kRequired, .min_length = 1, .max_length = 200}),
              member("area", area,
                     {.required = kRequired, .positive = true, .doc = "In the farm's areaUnit."}),
              member("soilType", soil_type, {.max_length = 100}),
              member("soilPh", soil_ph, {.min = 0, .max = 14}), member("status", status),
              member("notes", notes, {.max_length = 5'000}),
              member("description", description, {.max_length = 2'000}),
              member("boundaries", boundaries, {.doc = "A GeoJSON Polygon."}),
              member("irrigationFlowRatePerEmitter", irrigation_flow_rate_per_emitter,
                     {.min = 0, .max = 100, .doc = "Liters per hour; overrides the farm's."}),
              member("emittersPerPlant", emitters_per_plant, {.min = 0, .max = 50}),
              member("dripLineSpacingMeters", drip_line_spacing_meters, {.min = 0, .max = 20}),
              member("customIrrigationSystem", custom_irrigation_system));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct FieldRegistered : Recorded<Field, OnFarm, FieldDetails<Own>> {
  static constexpr EventType kType{"tilth.field.registered"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "fieldId", "registeredAt");
  }
};

// Stored forever. Holds the members that the request carried.
struct FieldAmended : Amended<Field, FieldDetails> {
  static constexpr EventType kType{"tilth.field.amended"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "fieldId");
  }
};

// Stored forever. Cascades to all that grows on the field and to the records about it.
struct FieldRemoved : Removed<Field> {
  static constexpr EventType kType{"tilth.field.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "fieldId");
  }
};

}  // namespace tilth
