// Details and events of a sale of a crop's yield.

#pragma once

#include <optional>
#include <string>

#include "events/land/crop.h"
#include "events/land/location.h"
#include "events/values/places.h"

namespace tilth {

using SaleId = Id<struct Sale>;

struct SaleDetails {
  Decimal quantity = {};
  YieldUnit unit = {};
  Decimal price_per_unit = {};
  Currency currency = {};
  Date sale_date = {};
  std::optional<std::string> buyer = {};
  std::optional<std::string> note = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("quantity", quantity, {.required = true, .positive = true, .doc = "In unit."}),
       member("unit", unit, {.required = true}),
       member("pricePerUnit", price_per_unit, {.required = true, .positive = true}),
       member("currency", currency, {.doc = "The farm's base currency, unless said."}),
       member("saleDate", sale_date, {.required = true}),
       member("buyer", buyer, {.max_length = 200}), member("note", note, {.max_length = 2'000}));
  }
  // The total must fit a Decimal, too.
  void check(Issues& issues) const {
    if (issues.contains("quantity") || issues.contains("pricePerUnit")) return;
    if (!total()) issues["pricePerUnit"].emplace_back("makes a total of more than 18 digits");
  }

  // quantity × pricePerUnit to 8 digits, half-even.
  std::optional<Decimal> total() const { return Decimal::product(quantity, price_per_unit); }
};

// Stored forever: a new shape needs a new version with an upcast(). Its currency is filled in.
struct SaleRecorded : Recorded<Sale, OnCrop, SaleDetails> {
  static constexpr EventType kType{"tilth.sale.recorded"};

  Decimal total_amount;

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "saleId", "recordedAt", member("totalAmount", total_amount, {.min = 0}));
  }
};

// Stored forever.
struct SaleRemoved : Removed<Sale> {
  static constexpr EventType kType{"tilth.sale.removed"};

  template <class Archive>
  void serialize(Archive& ar) {
    list(ar, "saleId");
  }
};

}  // namespace tilth
