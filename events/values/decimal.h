// Exact decimals for areas, quantities and money. They never use binary floating point.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/values/textual.h"

namespace tilth {

// A number as it was written, `[+-]?\d+(\.\d+)?([eE][+-]?\d+)?`: nothing is rounded or converted to
// a double. Its value is ±digits × 10^exponent; digits neither begin nor end with 0.
struct WrittenNumber {
  bool negative = false;
  std::string digits;  // none for zero
  std::int64_t exponent = 0;

  std::int64_t whole_digits() const { return static_cast<std::int64_t>(digits.size()) + exponent; }
  static std::optional<WrittenNumber> parse(std::string_view text);
};

// At most 18 integer and 8 fraction digits in canonical form: "1.50e1" is 15.
class Decimal {
 public:
  __extension__ using Units = __int128;  // hundred-millionths; sums have 12 digits to spare
  static constexpr std::string_view kExpected =
      "a decimal with at most 18 digits before the point and 8 after it";

  Decimal() = default;
  explicit Decimal(std::int64_t whole) : units_(static_cast<Units>(whole) * kUnitsPerOne) {}

  static std::optional<Decimal> parse(std::string_view text);
  std::string text() const;  // canonical: "12.5", never "12.50", "+12.5", "1.25e1" or "-0"

  // 16 bytes that sort like the number.
  std::string sort_key() const;

  // a × b to 8 digits, half-even; null if it has more than 18 digits before the point.
  static std::optional<Decimal> product(const Decimal& a, const Decimal& b);

  // 10000 / (a × b) to 8 digits, half-even; null if a or b is 0 or the result does not fit. It
  // gives plants per hectare for a spacing in meters: docs/api.md, "Block".
  static std::optional<Decimal> per_hectare(const Decimal& a, const Decimal& b);

  // For sums and quotients that do not fit a Decimal.
  Units units() const { return units_; }

  friend auto operator<=>(const Decimal&, const Decimal&) = default;

 private:
  static constexpr Units kUnitsPerOne = 100'000'000;
  Units units_ = 0;
};

// A decimal that is a JSON number in responses.
struct Figure : Decimal {
  using Decimal::Decimal;
  explicit Figure(const Decimal& decimal) : Decimal(decimal) {}

  static std::optional<Figure> parse(std::string_view text) {
    const auto decimal = Decimal::parse(text);
    return decimal ? std::optional(Figure(*decimal)) : std::nullopt;
  }
  friend auto operator<=>(const Figure&, const Figure&) = default;
};

}  // namespace tilth
