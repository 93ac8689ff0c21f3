// Details and events of a fertigation: one feeding of a block.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/location.h"
#include "events/values/decimal.h"

namespace tilth {

using FertigationId = Id<struct Fertigation>;

enum class FertilizerUnit : std::uint8_t { kKilogram, kGram, kLiter };

constexpr auto labels(FertilizerUnit) { return named<FertilizerUnit>("kg", "gram", "liter"); }

struct FertigationDetails {
  Timestamp applied_at = {};
  std::string product = {};
  Decimal amount = {};
  FertilizerUnit unit = {};
  std::optional<Decimal> n_percent = {};
  std::optional<Decimal> p_percent = {};
  std::optional<Decimal> k_percent = {};
  std::optional<Decimal> water_volume = {};
  std::optional<Decimal> ec = {};
  std::optional<Decimal> ph = {};
  std::optional<std::string> notes = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("appliedAt", applied_at, {.required = true}),
       member("product", product, {.required = true, .min_length = 1, .max_length = 200}),
       member("amount", amount, {.required = true, .positive = true, .doc = "In unit."}),
       member("unit", unit, {.required = true}),
       member("nPercent", n_percent, {.min = 0, .max = 100}),
       member("pPercent", p_percent, {.min = 0, .max = 100}),
       member("kPercent", k_percent, {.min = 0, .max = 100}),
       member("waterVolume", water_volume, {.min = 0, .doc = "Cubic meters."}),
       member("ec", ec, {.min = 0}), member("ph", ph, {.min = 0, .max = 14}),
       member("notes", notes, {.max_length = 5'000}));
  }
};

// Stored forever: a new shape needs a new version with an upcast().
struct FertigationRecorded : Recorded<Fertigation, OnBlock, FertigationDetails> {
  static constexpr EventType kType{"tilth.fertigation.recorded"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "fertigationId", "recordedAt");
  }
};

// Stored forever.
struct FertigationRemoved : Removed<Fertigation> {
  static constexpr EventType kType{"tilth.fertigation.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "fertigationId");
  }
};

}  // namespace tilth
