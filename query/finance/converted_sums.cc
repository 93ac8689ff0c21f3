#include "query/finance/converted_sums.h"

#include <algorithm>
#include <utility>

namespace tilth {
namespace {

// From hundred-millionths to Converted::kPlaces.
const WideInteger kScale = boost::multiprecision::pow(WideInteger(10), Converted::kPlaces - 8);

Converted converted(Decimal::Units amount, const Conversion::Factor& factor) {
  WideInteger least, rest;
  divide_qr(WideInteger(WideInteger(amount) * factor.base * kScale), WideInteger(factor.currency),
            least, rest);
  return {least, rest == 0 ? 0U : 1U};
}

}  // namespace

void Converted::operator-=(const Converted& other) {
  least -= other.least + other.slack;
  slack += other.slack;
}

void ConvertedSum::operator+=(const ConvertedSum& other) {
  booked.bookings += other.booked.bookings;
  booked.amount += other.booked.amount;
  bookings_with_rate += other.bookings_with_rate;
  amount_with_rate += other.amount_with_rate;
  converted += other.converted;
}

// Usually all of them are there already.
void ConvertedSums::operator+=(const ConvertedSums& other) {
  sources.insert(other.sources.begin(), other.sources.end());
  auto mine = accounts.begin();
  for (const auto& theirs : other.accounts) {
    const auto& account = theirs.booked.account;
    while (mine != accounts.end() && mine->booked.account < account) ++mine;
    if (mine == accounts.end() || mine->booked.account != account) {
      mine = accounts.insert(mine, theirs);
    } else {
      *mine += theirs;
    }
    ++mine;
  }
}

std::optional<Conversion::Factor> Conversion::factor(const Currency& currency, Date day) {
  Factor factor;
  if (currency == base_) return factor;
  const auto& of_base = rate(base_, day);
  const auto& of_currency = rate(currency, day);
  if (!of_base || !of_currency) return std::nullopt;
  factor.base = of_base->per_euro.units();
  factor.currency = of_currency->per_euro.units();
  if (base_ != kEuro) factor.sources[0] = &of_base->source;
  if (currency != kEuro) factor.sources[1] = &of_currency->source;
  return factor;
}

ConvertedSums Conversion::convert(const Sums& sums, Date day) {
  ConvertedSums all;
  all.accounts.reserve(sums.accounts.size());
  for (const auto& sum : sums.accounts) {
    auto& each = all.accounts.emplace_back();
    each.booked = sum;
    const auto by = factor(sum.account.currency, day);
    if (!by) continue;
    each.bookings_with_rate = sum.bookings;
    each.amount_with_rate = sum.amount;
    each.converted = converted(sum.amount, *by);
    for (const auto* source : by->sources) {
      if (source != nullptr) all.sources.insert(*source);
    }
  }
  return all;
}

// The next amount is usually of the same day or a later one.
const std::optional<ExchangeRate>& Conversion::rate(const Currency& currency, Date day) {
  auto& known = known_[currency.code];
  const bool holds = known.until && known.from <= day && day < *known.until;
  if (holds) return known.rate;
  constexpr Date kEver{std::chrono::sys_days::max()};
  const auto published = rates_.on(currency, day);
  known.from = published ? published->day : Date{std::chrono::sys_days::min()};
  known.rate = published ? std::optional(published->rate) : std::nullopt;
  known.until = currency == kEuro ? kEver : rates_.next(currency, day).value_or(kEver);
  return known.rate;
}

}  // namespace tilth
