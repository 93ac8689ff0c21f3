// Details and events of a soil sample: soil of one field.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/location.h"
#include "events/operations/nutrients.h"
#include "events/values/geometry.h"

namespace tilth {

using SoilSampleId = Id<struct SoilSample>;

enum class SoilTexture : std::uint8_t {
  kSand,
  kLoamySand,
  kSandyLoam,
  kLoam,
  kSiltLoam,
  kSilt,
  kSandyClayLoam,
  kClayLoam,
  kSiltyClayLoam,
  kSandyClay,
  kSiltyClay,
  kClay,
};

constexpr auto labels(SoilTexture) {
  return named<SoilTexture>("sand", "loamy_sand", "sandy_loam", "loam", "silt_loam", "silt",
                            "sandy_clay_loam", "clay_loam", "silty_clay_loam", "sandy_clay",
                            "silty_clay", "clay");
}

struct SoilSampleDetails {
  Timestamp sampled_at = {};
  std::optional<std::string> lab = {};
  std::optional<Decimal> depth_from_cm = {};
  std::optional<Decimal> depth_to_cm = {};
  std::optional<SoilTexture> texture = {};
  std::optional<Decimal> ph = {};
  std::optional<Decimal> ec = {};
  std::optional<Decimal> organic_matter = {};
  Nutrients nutrients = {};
  std::optional<Decimal> cec = {};
  std::optional<LatLng> location = {};
  std::optional<std::string> notes = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("sampledAt", sampled_at, {.required = true}), member("lab", lab, {.max_length = 200}),
       member("depthFromCm", depth_from_cm, {.min = 0, .max = 1'000}),
       member("depthToCm", depth_to_cm, {.min = 0, .max = 1'000, .doc = "More than depthFromCm."}),
       member("texture", texture),
       member("ph", ph, {.min = 0, .max = 14, .doc = "The newest one is the field's soilPh."}),
       member("ec", ec, {.min = 0}), member("organicMatter", organic_matter, {.min = 0}));
    nutrients.serialize(ar);
    ar(member("cec", cec, {.min = 0}), member("location", location),
       member("notes", notes, {.max_length = 5'000}));
  }
  // Requires both depths or neither, the upper one first.
  void check(Issues& issues) const;
};

// Stored forever: a new shape needs a new version with an upcast().
struct SoilSampleRecorded : Recorded<SoilSample, OnField, SoilSampleDetails> {
  static constexpr EventType kType{"tilth.soil_sample.recorded"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "soilSampleId", "recordedAt");
  }
};

// Stored forever.
struct SoilSampleRemoved : Removed<SoilSample> {
  static constexpr EventType kType{"tilth.soil_sample.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "soilSampleId");
  }
};

}  // namespace tilth
