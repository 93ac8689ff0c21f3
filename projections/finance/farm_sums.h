// Sums of a farm's bookings by day, by month, by year and of all time, so that any span of time is
// covered by a few of them, however many bookings it has.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "projections/finance/booking.h"

namespace tilth {

// The exact sum of one account, over any number of bookings.
struct AccountSum {
  Account account;
  std::uint64_t bookings = 0;
  Decimal::Units amount = 0;
};

// The sums of all accounts that have bookings, in account order.
struct Sums {
  std::vector<AccountSum> accounts;

  void add(const AccountSum& sum);
  void subtract(const AccountSum& sum);

  std::string encode() const;
  static Sums decode(std::string_view bytes);
};

enum class Span : char { kDay = 'd', kMonth = 'm', kYear = 'y', kAllTime = 't' };

// A day, a month, a year, or every day that the API can name.
struct CalendarPeriod {
  Span span;
  Date first;

  static CalendarPeriod of(Span span, Date day);
  Date last() const;
};

enum class Sign : std::uint8_t { kPlus, kMinus };
void add_to_sums(MutableRows& rows, const Booking& booking, Sign sign);

// Reads the sums. Threads: one.
class FarmSums {
 public:
  // `rows` must outlive it.
  FarmSums(const Rows& rows, const FarmId& farm);

  // The periods that have bookings, in order of time: the next finer parts of any but a day, and
  // the days from `from` to `to`, both inclusive.
  std::vector<CalendarPeriod> parts(const CalendarPeriod& whole) const;
  std::vector<CalendarPeriod> days(Date from, Date to) const;

  Sums of(const CalendarPeriod& period) const;

  // What `derive` makes of a period's sums; see Rows::find_derived().
  std::shared_ptr<const void> derived(const CalendarPeriod& period, Derive derive) const;

  // The key prefix of all sums of a farm.
  static std::string prefix(const Rows& rows, const Uuid& farm);

 private:
  std::vector<CalendarPeriod> years() const;
  std::vector<CalendarPeriod> existing(Span span, Date from, Date to) const;
  std::string key(const CalendarPeriod& period) const;

  const Rows& rows_;
  const std::string prefix_;
};

}  // namespace tilth
