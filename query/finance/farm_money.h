// A farm's books in its base currency, over any span of time.

#pragma once

#include <functional>
#include <memory>

#include "events/values/exact.h"
#include "projections/finance/rate_changes.h"
#include "query/finance/converted_sums.h"

namespace tilth {

// Reads a handful of sums. The conversion of a month, a year or all time is cached with its sums
// until those or their rates change, and so is the last conversion of a part of it, since a year of
// books seldom begins in January: only what changed is converted and added again.
//
// Threads: one. What it reads must outlive it.
class FarmMoney {
 public:
  FarmMoney(const Rows& rows, const FarmId& farm, const Currency& base);

  // From `from` to `to`, both inclusive.
  ConvertedSums between(Date from, Date to);

  // The exact sum in the base currency of the accounts, each weighted +1 or -1; 0 excludes one, as
  // does a missing rate. Reads each day: for when between() is not precise enough.
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
