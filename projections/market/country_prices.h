// What crops cost in a country: sums of offers, from which prices follow without a look at any
// offer. They can be added up: of a crop in two parts of the log, whose farms are different ones,
// the sums are those of both.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "projections/market/offer.h"
#include "projections/rows/rows.h"

namespace tilth {

// Fewer farms than that, and nothing is said: no one shall learn what one of them was paid.
inline constexpr std::uint64_t kMinSampleSize = 5;

// Of one crop in one country. It holds no farm's name and no single price.
struct PriceSums {
  Integer money;          // Σ price × tons, in kMoneyDigits
  Integer tons;           // Σ tons, in kTonDigits
  std::uint64_t cut = 0;  // of how many offers the money was cut, of each by less than 1
  std::uint64_t farms = 0, reporting = 0, selling = 0;  // distinct ones; reporting may sell, too

  PriceSums& operator+=(const PriceSums& other);

  // money / tons in minor units, half-even; null where what was cut may matter. Tons are not 0.
  std::optional<Integer> average(int minor_digits) const;
  Integer average(int minor_digits, const Fraction& all_that_was_cut) const;
};

// Prices per ton, in minor units.
struct CropPrices {
  std::string crop_name;  // canonical
  PriceSums sums;
  Integer average = 0, lowest = 0, highest = 0;
};

// Adds an offer that has figures to the sums of its place, or takes it out again.
void count(MutableRows& market, const Offer& offer);
void discount(MutableRows& market, const Offer& offer);

// Hands over the crops for which at least kMinSampleSize farms count in the country, by the bytes
// of their names; costs a few look-ups for each, whatever the number of offers.
void for_each_price(const Rows& market, std::string_view country, int minor_digits,
                    const std::function<void(const CropPrices&)>& visit);

// Changes with every offer that comes into the country or goes, and is the same whatever the way to
// them: so anyone who kept what follows from the prices knows whether it still does.
std::string prices_mark(const Rows& market, std::string_view country);
void change_prices_mark(MutableRows& market, const Offer& offer, bool came);

}  // namespace tilth
