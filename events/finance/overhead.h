// What a farmer says of money spent on a farm as a whole, and what happens to it.

#pragma once

#include <cstdint>

#include "events/finance/cost.h"
#include "events/land/location.h"

namespace tilth {

using OverheadId = Id<struct Overhead>;

enum class OverheadCategory : std::uint8_t {
  kRent,
  kInsurance,
  kTax,
  kSalaries,
  kMaintenance,
  kUtilities,
  kAdministration,
  kInterest,
  kDepreciation,
  kOther,
};

constexpr auto labels(OverheadCategory) {
  return named<OverheadCategory>("rent", "insurance", "tax", "salaries", "maintenance", "utilities",
                                 "administration", "interest", "depreciation", "other");
}

enum class OverheadPeriod : std::uint8_t { kOneTime, kMonthly, kYearly };

constexpr auto labels(OverheadPeriod) {
  return named<OverheadPeriod>("one_time", "monthly", "yearly");
}

struct OverheadDetails {
  Cost<OverheadCategory> cost = {};
  OverheadPeriod period = {};

  template <class Archive>
  void serialize(Archive& ar) {
    cost.serialize(ar);
    ar(member("period", period, {.doc = "What it paid for; it counts once, on its date."}));
  }
};

// Stored for ever: a new shape is a new version, with an upcast(). Its currency is decided.
struct OverheadRecorded : Recorded<Overhead, OnFarm, OverheadDetails> {
  static constexpr EventType kType{"tilth.overhead.recorded"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "overheadId", "recordedAt");
  }
};

// Stored for ever.
struct OverheadRemoved : Removed<Overhead> {
  static constexpr EventType kType{"tilth.overhead.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "overheadId");
  }
};

}  // namespace tilth
