// Details and events of an irrigation: one watering of a field.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/irrigation_method.h"
#include "events/land/location.h"
#include "events/values/decimal.h"

namespace tilth {

using IrrigationId = Id<struct Irrigation>;

enum class VolumeUnit : std::uint8_t { kCubicMeter, kLiter };

constexpr auto labels(VolumeUnit) { return named<VolumeUnit>("m3", "liter"); }

struct IrrigationDetails {
  Timestamp started_at = {};
  std::int64_t duration_minutes = 0;
  Decimal water_volume = {};
  VolumeUnit volume_unit = {};
  std::optional<IrrigationMethod> method = {};
  std::optional<std::string> notes = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("startedAt", started_at, {.required = true}),
       member("durationMinutes", duration_minutes, {.required = true, .min = 0, .max = 10'080}),
       member("waterVolume", water_volume, {.required = true, .min = 0, .doc = "In volumeUnit."}),
       member("volumeUnit", volume_unit), member("method", method),
       member("notes", notes, {.max_length = 5'000}));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct IrrigationRecorded : Recorded<Irrigation, OnField, IrrigationDetails> {
  static constexpr EventType kType{"tilth.irrigation.recorded"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "irrigationId", "recordedAt");
  }
};

// Stored forever.
struct IrrigationRemoved : Removed<Irrigation> {
  static constexpr EventType kType{"tilth.irrigation.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "irrigationId");
  }
};

}  // namespace tilth
