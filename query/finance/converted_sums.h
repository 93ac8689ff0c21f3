// Sums of money in another currency: each amount is converted at the rate of its own day, and added
// without loss until the final rounding.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "projections/finance/exchange_rate.h"
#include "projections/finance/farm_sums.h"

namespace tilth {

// Holds the largest sum at the most extreme rates.
using WideInteger = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<512, 512, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked, void>,
    boost::multiprecision::et_off>;

// An amount of the base currency with a lower bound: `least` × 10^-kPlaces, and less than `slack` ×
// 10^-kPlaces more. If slack is 0 it is exact. An amount divided by a rate seldom has a finite
// expansion, so sums are stored like this, and computed as fractions only where it matters.
struct Converted {
  static constexpr int kPlaces = 24;

  WideInteger least = 0;
  std::uint64_t slack = 0;

  void operator+=(const Converted& other) { least += other.least, slack += other.slack; }
  void operator-=(const Converted& other);
};

// The bookings of an account, and the part of them that has rates.
struct ConvertedSum {
  AccountSum booked;
  std::uint64_t bookings_with_rate = 0;
  Decimal::Units amount_with_rate = 0;  // in the account's currency
  Converted converted;                  // … and in the base currency

  void operator+=(const ConvertedSum& other);
};

struct ConvertedSums {
  std::vector<ConvertedSum> accounts;  // in account order
  std::set<std::string> sources;       // of the rates

  void operator+=(const ConvertedSums& other);
};

// The rates of a base currency. Threads: one.
class Conversion {
 public:
  Conversion(const Rows& reference, Currency base) : rates_(reference), base_(std::move(base)) {}

  // The factor that converts an amount: base / currency.
  struct Factor {
    Decimal::Units base = 1;
    Decimal::Units currency = 1;
    const std::string* sources[2] = {};  // of each rate that was needed
  };

  // Null if a rate is missing on that day.
  std::optional<Factor> factor(const Currency& currency, Date day);

  ConvertedSums convert(const Sums& sums, Date day);

  const Currency& base() const { return base_; }

 private:
  // A rate, or its absence, and the days for which that holds.
  struct Known {
    Date from;
    std::optional<Date> until;
    std::optional<ExchangeRate> rate;
  };
  const std::optional<ExchangeRate>& rate(const Currency& currency, Date day);

  const ExchangeRates rates_;
  const Currency base_;
  std::map<std::string, Known> known_;
};

}  // namespace tilth
