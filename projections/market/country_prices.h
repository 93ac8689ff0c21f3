// What crops cost in a country: sums of offers, from which prices follow without reading any offer.
// The sums of one crop from two parts of the log, which have different farms, can be added up.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "projections/market/offer.h"
#include "projections/rows/rows.h"

namespace tilth {

// With fewer farms nothing is returned, so that the price paid to one of them stays private.
inline constexpr std::uint64_t kMinSampleSize = 5;

// The sums of one crop in one country. They hold no farm's name and no single price.
struct PriceSums {
  Integer money;          // Σ price × tons, in kMoneyDigits
  Integer tons;           // Σ tons, in kTonDigits
  std::uint64_t cut = 0;  // how many offers had their money cut, each by less than 1
  std::uint64_t farms = 0, reporting = 0, selling = 0;  // distinct ones; reporting may sell, too
  std::uint64_t owners = 0;                             // of those farms

  PriceSums& operator+=(const PriceSums& other);

  // money / tons in minor units, half-even; null if what was cut may matter. Tons must not be 0.
  std::optional<Integer> average(int minor_digits) const;
  Integer average(int minor_digits, const Fraction& all_that_was_cut) const;
};

// What counts for the price of one crop. Prices are per ton, in minor units.
struct CropPrices {
  std::string crop_name;  // canonical
  PriceSums sums;
  Integer lowest = 0, highest = 0;

  // Adds what another part of the log has of the same crop.
  CropPrices& operator+=(const CropPrices& other);
};

// Adds an offer that has figures to the sums of its place, or subtracts it.
void count(MutableRows& market, const Offer& offer);
void discount(MutableRows& market, const Offer& offer);

// Which crops: those whose prices may be shown, or all. Of a part of the log all are wanted, since
// other parts may have enough farms.
enum class Crops : std::uint8_t { kShown, kAll };

// Visits those crops of the country. Costs a few look-ups per crop, whatever the number of offers.
void for_each_crop(const Rows& market, std::string_view country, Crops which,
                   const std::function<void(CropPrices)>& visit);

// All that was cut from the money of a crop's offers, exactly.
Fraction cut_from(const Rows& market, std::string_view country, std::string_view crop_name);

// Changes with every offer that is added to the country or removed from it, and depends only on the
// present offers. A caller that caches a result of the prices can thus check that it is current.
std::string prices_mark(const Rows& market, std::string_view country);
void change_prices_mark(MutableRows& market, const Offer& offer, bool came);

}  // namespace tilth
