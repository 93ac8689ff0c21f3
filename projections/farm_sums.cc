#include "projections/farm_sums.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tilth {
namespace {

using std::chrono::days, std::chrono::months, std::chrono::year_month_day, std::chrono::years;

constexpr std::array kSpans = {Span::kDay, Span::kMonth, Span::kYear};
constexpr std::size_t kCodeLength = 3;

std::string key_of(const std::string& prefix, const CalendarPeriod& period) {
  return prefix + static_cast<char>(period.span) + period.first.sort_key();
}

AccountSum sum_of(const Booking& booking) { return {booking.account, 1, booking.amount.units()}; }

Span finer(Span span) { return span == Span::kYear ? Span::kMonth : Span::kDay; }

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

// An account is a book, a category and three letters; a flat form, since each booking reads and
// writes three of these.
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
  }
  return first;
}

void add_to_sums(MutableRows& rows, const Booking& booking, Sign sign) {
  const auto prefix = FarmSums::prefix(rows, booking.farm_id.uuid);
  for (const auto span : kSpans) {
    const auto key = key_of(prefix, CalendarPeriod::of(span, booking.day));
    auto sums = Sums::decode(rows.own(key).value_or(""));
    sign == Sign::kPlus ? sums.add(sum_of(booking)) : sums.subtract(sum_of(booking));
    sums.accounts.empty() ? rows.store().erase(key) : rows.store().put(key, sums.encode());
  }
}

FarmSums::FarmSums(const Rows& rows, const FarmId& farm)
    : rows_(rows), prefix_(prefix(rows, farm.uuid)) {}

std::string FarmSums::prefix(const Rows& rows, const Uuid& farm) {
  return rows.own_key('m').append(farm.key());
}

void FarmSums::cover(Date from, Date to, const Visit& visit) const {
  cover(Span::kYear, from, to, visit);
}

void FarmSums::days(Date from, Date to, const Visit& visit) const {
  for (const auto& day : existing(Span::kDay, from, to)) visit(day);
}

void FarmSums::parts(const CalendarPeriod& whole, const Visit& visit) const {
  for (const auto& part : existing(finer(whole.span), whole.first, whole.last())) visit(part);
}

void FarmSums::cover(Span span, Date from, Date to, const Visit& visit) const {
  for (const auto& period : existing(span, from, to)) {
    if (period.first >= from && period.last() <= to) {
      visit(period);
    } else {
      cover(finer(span), std::max(from, period.first), std::min(to, period.last()), visit);
    }
  }
}

// Those that have bookings, and of which a part at least lies in that time.
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

std::shared_ptr<const void> FarmSums::made_of(const CalendarPeriod& period, Maker maker) const {
  return rows_.own_made(key(period), maker);
}

std::string FarmSums::key(const CalendarPeriod& period) const { return key_of(prefix_, period); }

}  // namespace tilth
