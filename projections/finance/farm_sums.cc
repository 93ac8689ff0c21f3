#include "projections/finance/farm_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tilth {
namespace {

using std::chrono::days, std::chrono::months, std::chrono::year_month_day, std::chrono::years;

constexpr std::array kSpans = {Span::kDay, Span::kMonth, Span::kYear, Span::kAllTime};
constexpr Date kFirstDay{std::chrono::sys_days(std::chrono::year(0) / 1 / 1)};
constexpr Date kLastDay{std::chrono::sys_days(std::chrono::year(9999) / 12 / 31)};
constexpr std::size_t kCodeLength = 3;
constexpr std::size_t kDateLength = 4;  // of a sort key

std::string key_of(const std::string& prefix, const CalendarPeriod& period) {
  return prefix + static_cast<char>(period.span) + period.first.sort_key();
}

// The key of the list of years. Without it, a reader would walk over the long sums of every year.
std::string years_key(const std::string& prefix) { return prefix + 'a'; }

// Adds a year that now has bookings, or removes one that no longer has any.
void turn_year(MutableRows& rows, const std::string& prefix, const CalendarPeriod& year) {
  const auto key = years_key(prefix);
  auto listed = rows.own(key).value_or("");
  const auto own = year.first.sort_key();
  std::size_t at = 0;
  while (at < listed.size() && std::string_view(listed).substr(at, kDateLength) < own) {
    at += kDateLength;
  }
  if (listed.compare(at, kDateLength, own) == 0) {
    listed.erase(at, kDateLength);
  } else {
    listed.insert(at, own);
  }
  listed.empty() ? rows.store().erase(key) : rows.store().put(key, std::move(listed));
}

AccountSum sum_of(const Booking& booking) { return {booking.account, 1, booking.amount.units()}; }

// Of a year or a month.
Span finer(Span span) { return span == Span::kYear ? Span::kMonth : Span::kDay; }

// Numbers are stored as they are in memory, and a backup may be restored on another machine.
static_assert(std::endian::native == std::endian::little);

template <class Number>
void append(std::string& bytes, const Number& number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
void take(std::string_view& bytes, Number& number) {
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
}

}  // namespace

void Sums::add(const AccountSum& sum) {
  const auto at = std::ranges::lower_bound(accounts, sum.account, {}, &AccountSum::account);
  if (at == accounts.end() || at->account != sum.account) {
    accounts.insert(at, sum);
  } else {
    at->bookings += sum.bookings;
    at->amount += sum.amount;
  }
}

void Sums::subtract(const AccountSum& sum) {
  const auto at = std::ranges::lower_bound(accounts, sum.account, {}, &AccountSum::account);
  if (at == accounts.end() || at->account != sum.account || at->bookings < sum.bookings) {
    std::abort();  // it was never added
  }
  at->bookings -= sum.bookings;
  at->amount -= sum.amount;
  if (at->bookings == 0) accounts.erase(at);
}

// An account is a book, a category and three letters. The form is flat, since each booking reads
// and writes four of these.
std::string Sums::encode() const {
  std::string bytes;
  for (const auto& [account, bookings, amount] : accounts) {
    bytes.append(1, static_cast<char>(account.book)).append(1, static_cast<char>(account.category));
    bytes.append(account.currency.code, 0, kCodeLength);
    append(bytes, bookings);
    append(bytes, amount);
  }
  return bytes;
}

Sums Sums::decode(std::string_view bytes) {
  constexpr std::size_t kEach = 2 + kCodeLength + sizeof(std::uint64_t) + sizeof(Decimal::Units);
  Sums sums;
  sums.accounts.reserve(bytes.size() / kEach);
  while (bytes.size() >= kEach) {
    auto& [account, bookings, amount] = sums.accounts.emplace_back();
    account.book = static_cast<Book>(bytes[0]);
    account.category = static_cast<std::uint8_t>(bytes[1]);
    account.currency.code = bytes.substr(2, kCodeLength);
    bytes.remove_prefix(2 + kCodeLength);
    take(bytes, bookings);
    take(bytes, amount);
  }
  return sums;
}

CalendarPeriod CalendarPeriod::of(Span span, Date day) {
  const year_month_day date(day.day);
  switch (span) {
    case Span::kDay:
      break;
    case Span::kMonth:
      return {span, {date.year() / date.month() / 1}};
    case Span::kYear:
      return {span, {date.year() / 1 / 1}};
    case Span::kAllTime:
      return {span, kFirstDay};
  }
  return {span, day};
}

Date CalendarPeriod::last() const {
  const year_month_day date(first.day);
  switch (span) {
    case Span::kDay:
      break;
    case Span::kMonth:
      return {std::chrono::sys_days(date + months(1)) - days(1)};
    case Span::kYear:
      return {std::chrono::sys_days(date + years(1)) - days(1)};
    case Span::kAllTime:
      return kLastDay;
  }
  return first;
}

void add_to_sums(MutableRows& rows, const Booking& booking, Sign sign) {
  const auto prefix = FarmSums::prefix(rows, booking.farm_id.uuid);
  for (const auto span : kSpans) {
    const auto period = CalendarPeriod::of(span, booking.day);
    const auto key = key_of(prefix, period);
    auto sums = Sums::decode(rows.own(key).value_or(""));
    const bool were_none = sums.accounts.empty();
    sign == Sign::kPlus ? sums.add(sum_of(booking)) : sums.subtract(sum_of(booking));
    const bool are_none = sums.accounts.empty();
    are_none ? rows.store().erase(key) : rows.store().put(key, sums.encode());
    if (span == Span::kYear && were_none != are_none) turn_year(rows, prefix, period);
  }
}

FarmSums::FarmSums(const Rows& rows, const FarmId& farm)
    : rows_(rows), prefix_(prefix(rows, farm.uuid)) {}

std::string FarmSums::prefix(const Rows& rows, const Uuid& farm) {
  return rows.own_key('m').append(farm.key());
}

std::vector<CalendarPeriod> FarmSums::years() const {
  const auto bytes = rows_.own(years_key(prefix_)).value_or("");
  std::vector<CalendarPeriod> years;
  for (std::string_view rest = bytes; !rest.empty(); rest.remove_prefix(kDateLength)) {
    years.push_back({Span::kYear, Date::of_sort_key(rest.substr(0, kDateLength))});
  }
  return years;
}

std::vector<CalendarPeriod> FarmSums::parts(const CalendarPeriod& whole) const {
  if (whole.span == Span::kAllTime) return years();
  return existing(finer(whole.span), whole.first, whole.last());
}

std::vector<CalendarPeriod> FarmSums::days(Date from, Date to) const {
  return existing(Span::kDay, from, to);
}

// The periods that have bookings and overlap that time.
std::vector<CalendarPeriod> FarmSums::existing(Span span, Date from, Date to) const {
  std::vector<CalendarPeriod> found;
  const auto first = key(CalendarPeriod::of(span, from)), last = key({span, to});
  const auto cursor = rows_.cursor();
  for (cursor->seek(first); cursor->valid() && cursor->key() <= last; cursor->next()) {
    found.push_back({span, Date::of_sort_key(cursor->key().substr(prefix_.size() + 1))});
  }
  return found;
}

Sums FarmSums::of(const CalendarPeriod& period) const {
  return Sums::decode(rows_.own(key(period)).value_or(""));
}

std::shared_ptr<const void> FarmSums::derived(const CalendarPeriod& period, Derive derive) const {
  return rows_.own_derived(key(period), derive);
}

std::string FarmSums::key(const CalendarPeriod& period) const { return key_of(prefix_, period); }

}  // namespace tilth
