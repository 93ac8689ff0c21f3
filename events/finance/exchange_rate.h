// Exchange rates by day, as published by a central bank or another source.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/json/described.h"
#include "events/values/decimal.h"
#include "events/values/places.h"
#include "events/values/time.h"

namespace tilth {

// All rates are units of a currency per euro.
inline const Currency kEuro{"EUR"};

struct PublishedRate {
  Currency currency;
  Decimal per_euro;  // units of the currency

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("currency", currency), member("perEuro", per_euro, {.positive = true}));
  }
};

struct PublishedDay {
  Date day;
  std::vector<PublishedRate> rates;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("day", day), member("rates", rates));
  }
};

// Stored forever: a new shape needs a new version with an upcast(). Holds the rates of a file, or
// of a part of it, that are new or different or come from another source than before.
struct ExchangeRatesImported {
  static constexpr EventType kType{"tilth.exchange_rate.imported"};

  std::string source;
  std::vector<PublishedDay> days;
  std::int64_t changed = 0;  // how many of them are new or different
  Timestamp imported_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("source", source), member("days", days), member("changed", changed),
       member("importedAt", imported_at));
  }
};

}  // namespace tilth
