// What a farm's books come to in its base currency, in any span of time.

#pragma once

#include <functional>
#include <memory>

#include "events/values/exact.h"
#include "projections/finance/rate_changes.h"
#include "query/finance/converted_sums.h"

namespace tilth {

// Reads a handful of sums. What a month or a year comes to in the base currency is kept with its
// sums, until those or the rates of the year change, and so is what the part of it comes to that
// was asked for last, since a year of books seldom begins in January: only what changed is
// converted and added up again.
//
// Threads: one. What it reads must outlive it.
class FarmMoney {
 public:
  FarmMoney(const Rows& rows, const FarmId& farm, const Currency& base);

  // From `from` to `to`, both inclusive.
  ConvertedSums between(Date from, Date to);

  // The exact sum in the base currency of the accounts that count, +1 or -1 times; 0 leaves one
  // out, as do those that have no rate. Looks at each day: for when between() does not say enough.
  using Weight = std::function<int(const Account&)>;
  Fraction exact_between(Date from, Date to, const Weight& weight);

 private:
  struct Kept;
  struct Days {
    Date first, last;
    friend bool operator==(const Days&, const Days&) = default;
  };
  std::shared_ptr<const ConvertedSums> of(const CalendarPeriod& period, const Days& asked);
  ConvertedSums compute(const CalendarPeriod& period, const Kept& kept, const Days& days);

  const FarmSums sums_;
  const RateChanges changes_;
  Conversion conversion_;
};

}  // namespace tilth
