// A cost: an amount, its category and the date of payment.

#pragma once

#include <optional>
#include <string>

#include "events/json/described.h"
#include "events/values/decimal.h"
#include "events/values/places.h"
#include "events/values/time.h"

namespace tilth {

template <class Category>
struct Cost {
  Decimal amount = {};
  Currency currency = {};
  Category category = {};
  Date transaction_date = {};
  std::optional<std::string> note = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("amount", amount, {.required = true, .positive = true}),
       member("currency", currency, {.doc = "The farm's base currency, unless said."}),
       member("category", category, {.required = true}),
       member("transactionDate", transaction_date, {.required = true}),
       member("note", note, {.max_length = 2'000}));
  }
};

}  // namespace tilth
