// Details and events of a plant: one tagged individual in a block.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/block.h"
#include "events/land/location.h"

namespace tilth {

enum class PlantStatus : std::uint8_t { kAlive, kSick, kDead, kReplaced, kRemoved };

constexpr auto labels(PlantStatus) {
  return named<PlantStatus>("alive", "sick", "dead", "replaced", "removed");
}

// A date that responses show as the instant at which it begins in UTC.
struct DayBegin {
  static constexpr std::string_view kExpected = Date::kExpected;
  static constexpr std::string_view kFormat = Timestamp::kFormat;
  static constexpr std::string_view kAskedFormat = Date::kFormat;
  Date date;
  static constexpr auto kWrapped = &DayBegin::date;

  static std::optional<DayBegin> parse(std::string_view text) {
    const auto date = Date::parse(text);
    return date ? std::optional(DayBegin{*date}) : std::nullopt;
  }
  std::string text() const { return Timestamp{date.day}.text(); }
  friend auto operator<=>(const DayBegin&, const DayBegin&) = default;
};

template <template <class> class As>
struct PlantDetails {
  As<std::string> label = {};
  As<std::optional<std::string>> tag_id = {};
  As<std::optional<LatLng>> position = {};
  As<std::optional<DayBegin>> planted_at = {};
  As<PlantStatus> status = {};
  As<std::optional<std::string>> notes = {};

  template <class Archive>
  decltype(auto) serialize(Archive& ar) {
    return ar(member("label", label, {.required = kWhole<As>, .min_length = 1, .max_length = 100}),
              member("tagId", tag_id,
                     {.min_length = 1,
                      .max_length = 200,
                      .doc = "QR, RFID or barcode; unique within the block."}),
              member("position", position), member("plantedAt", planted_at),
              member("status", status), member("notes", notes, {.max_length = 2'000}));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct PlantRegistered : Recorded<Plant, OnBlock, PlantDetails<Own>> {
  static constexpr EventType kType{"tilth.plant.registered"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "plantId", "registeredAt");
  }
};

// Stored forever. Holds the members that the request carried.
struct PlantAmended : Amended<Plant, PlantDetails> {
  static constexpr EventType kType{"tilth.plant.amended"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "plantId");
  }
};

// Stored forever.
struct PlantRemoved : Removed<Plant> {
  static constexpr EventType kType{"tilth.plant.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "plantId");
  }
};

}  // namespace tilth
