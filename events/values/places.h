// Countries and currencies: named values that standards define.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "events/values/textual.h"

namespace tilth {

// A country of ISO 3166-1 (iso-codes). Parsed from its name, common name, official name, alpha-2 or
// alpha-3 in any case; stored by its common name, else its name (docs/api.md, "Farm"). `stored`
// accepts what an event holds, even if the installed iso-codes no longer knows it.
struct Country {
  static constexpr std::string_view kExpected = "a country: its name or its ISO 3166-1 code";
  std::string name;
  static constexpr auto kWrapped = &Country::name;

  static std::optional<Country> parse(std::string_view text);
  static Country stored(std::string text) { return {std::move(text)}; }
  std::string text() const { return name; }
  // CLDR's current legal tender, from ICU, else USD.
  std::string currency() const;
  friend auto operator<=>(const Country&, const Country&) = default;
};

// An ISO 4217 code in upper case, as iso-codes lists it.
struct Currency {
  static constexpr std::string_view kExpected = "an ISO 4217 currency code";
  std::string code;  // empty if none was given; parse() never returns that
  static constexpr auto kWrapped = &Currency::code;

  static std::optional<Currency> parse(std::string_view text);
  // Also accepts a currency that is no longer in use, and any other that ICU has a code for.
  static std::optional<Currency> ever(std::string_view text);
  static Currency stored(std::string text) { return {std::move(text)}; }
  std::string text() const { return code; }
  int minor_digits() const;  // fraction digits of its amounts, from ICU: 2 for EUR, 0 for JPY
  friend auto operator<=>(const Currency&, const Currency&) = default;
};

}  // namespace tilth
