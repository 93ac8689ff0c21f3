// Details and events of an overhead: money spent on a farm as a whole.

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

// Stored forever: a new shape needs a new version with an upcast(). Its currency is filled in.
struct OverheadRecorded : Recorded<Overhead, OnFarm, OverheadDetails> {
  static constexpr EventType kType{"tilth.overhead.recorded"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "overheadId", "recordedAt");
  }
};

// Stored forever.
struct OverheadRemoved : Removed<Overhead> {
  static constexpr EventType kType{"tilth.overhead.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "overheadId");
  }
};

}  // namespace tilth
