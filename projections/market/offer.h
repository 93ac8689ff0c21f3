// An offer: what somebody was paid for a crop, or saw others pay, and its value in the money of a
// country. Regional prices are computed from offers.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/finance/sale.h"
#include "events/market/price_report.h"
#include "events/values/exact.h"
#include "projections/finance/exchange_rate.h"

namespace tilth {

enum class OfferSource : std::uint8_t { kReport, kSale };

constexpr auto labels(OfferSource) { return named<OfferSource>("report", "sale"); }

// What an offer counts as: natural numbers, as their bytes. Their sums are exact, whatever was
// added and subtracted before.
struct OfferFigures {
  std::string price;          // per ton, in minor units, rounded half-even
  std::string tons;           // in kTonDigits
  std::string money;          // price × tons, in kMoneyDigits, cut
  std::string rest, divisor;  // what was cut: rest / divisor of its last digit; empty: nothing
  friend bool operator==(const OfferFigures&, const OfferFigures&) = default;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("price", price), member("tons", tons), member("money", money), member("rest", rest),
       member("divisor", divisor));
  }
};

// Enough digits for the tons of any offer, and for the money of one that needs no division, which
// has as many digits as a quantity and a price have. For money that was divided by a rate they
// determine how an average is rounded, with very rare exceptions; then the rests are read, too.
inline constexpr int kTonDigits = 19, kMoneyDigits = 30;

// The country and the name under which an offer is filed, and what it counts as.
struct OfferPlace {
  std::string country;
  std::string crop_name;                     // canonical
  std::optional<OfferFigures> figures = {};  // null: it does not count, yet or for lack of a rate
  friend bool operator==(const OfferPlace&, const OfferPlace&) = default;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("country", country), member("cropName", crop_name), member("figures", figures));
  }
};

struct Offer {
  Uuid id;
  OfferSource source = {};
  FarmId farm_id = {};
  Uuid owner = {};                     // a hash of whose farm it is
  std::optional<CropId> crop_id = {};  // of a sale
  std::string crop_name = {};          // of a report, as it was written
  Date date = {};
  Currency currency = {};
  Decimal price = {};                    // per unit
  Decimal kilograms = {};                // of a unit
  std::optional<Decimal> quantity = {};  // in units; null: one ton
  bool entered = false;                  // whether its day has come
  std::string subject = {};              // its index key for changes of the library
  std::optional<OfferPlace> place = {};  // null: its farm is in no country

  static Offer of(const SaleRecorded& e);
  static Offer of(const PriceReported& e);

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("source", source), member("farmId", farm_id),
       member("owner", owner), member("cropId", crop_id), member("cropName", crop_name),
       member("date", date), member("currency", currency), member("price", price),
       member("kilograms", kilograms), member("quantity", quantity), member("entered", entered),
       member("subject", subject), member("place", place));
  }
};

// The money in which a country's prices are counted.
struct CountryMoney {
  Currency currency;
  int minor_digits = 2;
};

// Converted by the rate of the offer's day; null if there is none.
std::optional<OfferFigures> figures_of(const Offer& offer, const CountryMoney& money,
                                       const ExchangeRates& rates);

// A natural number as bytes, the most significant first, and back.
std::string bytes_of(const Integer& natural);
Integer natural_of(std::string_view bytes);

}  // namespace tilth
