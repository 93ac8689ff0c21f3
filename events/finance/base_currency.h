// The currency of a farm's amounts where none is given.

#pragma once

#include <optional>

#include "events/values/places.h"

namespace tilth {

// The farm's own currency, else its country's, else USD (docs/api.md, "Financial summary").
inline Currency base_currency(const std::optional<Currency>& own,
                              const std::optional<Country>& country) {
  if (own) return *own;
  return {country ? country->currency() : "USD"};
}

}  // namespace tilth
