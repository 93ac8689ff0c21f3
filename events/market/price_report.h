// Details and events of a price report: a price that others pay for a crop.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/land/location.h"
#include "events/values/decimal.h"
#include "events/values/places.h"

namespace tilth {

using PriceReportId = Id<struct PriceReport>;

enum class PriceUnit : std::uint8_t { kPerKilogram, kPerTon, kPerPound, kPerBushel };

constexpr auto labels(PriceUnit) {
  return named<PriceUnit>("per_kg", "per_ton", "per_lb", "per_bushel");
}

struct PriceReportDetails {
  std::string crop_name = {};
  Decimal price = {};
  PriceUnit unit = {};
  std::optional<Decimal> quantity = {};
  Currency currency = {};
  Date observed_on = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("cropName", crop_name, {.required = true, .min_length = 1, .max_length = 100}),
       member("price", price, {.required = true, .positive = true}),
       member("unit", unit, {.required = true}),
       member("quantity", quantity, {.positive = true, .doc = "In the unit of its price."}),
       member("currency", currency, {.doc = "The farm's base currency, unless said."}),
       member("observedOn", observed_on, {.required = true, .doc = "Not after today, in UTC."}));
  }
};

// Stored forever: a new shape needs a new version with an upcast(). Its currency is filled in. If
// the unit is a bushel, its weight is stored, so that it need not be looked up.
struct PriceReported : Recorded<PriceReport, OnFarm, PriceReportDetails> {
  static constexpr EventType kType{"tilth.price_report.recorded"};

  std::optional<Decimal> bushel_weight_kg;

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "priceReportId", "recordedAt",
         member("bushelWeightKg", bushel_weight_kg, {.positive = true}));
  }
};

// Stored forever.
struct PriceReportRemoved : Removed<PriceReport> {
  static constexpr EventType kType{"tilth.price_report.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "priceReportId");
  }
};

}  // namespace tilth
