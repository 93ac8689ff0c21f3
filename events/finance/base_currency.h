// What a farm's amounts are in where no one says otherwise.

#pragma once

#include <optional>

#include "events/values/places.h"

namespace tilth {

// Its own currency, else that of its country, else USD (docs/api.md, "Financial summary").
inline Currency base_currency(const std::optional<Currency>& own,
                              const std::optional<Country>& country) {
  if (own) return *own;
  return {country ? country->currency() : "USD"};
}

}  // namespace tilth
