#include "query/finance/farm_money.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace tilth {
namespace {

int year_of(Date date) { return static_cast<int>(std::chrono::year_month_day(date.day).year()); }

// Adds in pairs, so that the numbers stay small for as long as they can.
Fraction sum(std::vector<Fraction> parts) {
  if (parts.empty()) return 0;
  for (std::size_t step = 1; step < parts.size(); step *= 2) {
    for (std::size_t i = 0; i + step < parts.size(); i += 2 * step) parts[i] += parts[i + step];
  }
  return parts.front();
}

}  // namespace

// The sums of a month, a year or all time as read, and their last conversions.
struct FarmMoney::Kept {
  using Parts = std::vector<CalendarPeriod>;
  struct Result {
    Currency base;
    std::uint64_t rates;  // the number of the last import that affects it
    Days days;
    ConvertedSums sums;
  };

  static Derived derive(std::string_view bytes) {
    // Per account: its sum, converted as a whole and in part.
    constexpr auto kEach = 2 * sizeof(ConvertedSum);
    const auto accounts = Sums::decode(bytes).accounts.size();
    return {std::make_shared<const Kept>(), sizeof(Kept) + 2 * sizeof(Result) + accounts * kEach};
  }

  mutable std::atomic<std::shared_ptr<const Parts>> parts;
  mutable std::atomic<std::shared_ptr<const Result>> whole, part;
};

FarmMoney::FarmMoney(const Rows& rows, const FarmId& farm, const Currency& base)
    : sums_(rows, farm),
      changes_(RateChanges::read(rows.reference())),
      conversion_(rows.reference(), base) {}

ConvertedSums FarmMoney::between(Date from, Date to) {
  const auto all = of(CalendarPeriod::of(Span::kAllTime, from), {from, to});
  return all ? *all : ConvertedSums{};
}

// Null if `asked` includes nothing of it.
std::shared_ptr<const ConvertedSums> FarmMoney::of(const CalendarPeriod& period,
                                                   const Days& asked) {
  const Days days{std::max(asked.first, period.first), std::min(asked.last, period.last())};
  if (days.last < days.first) return nullptr;
  const auto kept = std::static_pointer_cast<const Kept>(sums_.derived(period, Kept::derive));
  if (!kept) return nullptr;
  const auto rates =
      period.span == Span::kAllTime ? changes_.imports : changes_.last(year_of(period.first));
  auto& last = days == Days{period.first, period.last()} ? kept->whole : kept->part;
  auto result = last.load();
  if (!result || result->base != conversion_.base() || result->rates != rates ||
      result->days != days) {
    result = std::make_shared<const Kept::Result>(
        Kept::Result{conversion_.base(), rates, days, compute(period, *kept, days)});
    last.store(result);
  }
  return {result, &result->sums};
}

// Days are not cached: a month has many, and they are seldom queried alone.
ConvertedSums FarmMoney::compute(const CalendarPeriod& period, const Kept& kept, const Days& days) {
  auto parts = kept.parts.load();
  if (!parts) kept.parts.store(parts = std::make_shared<const Kept::Parts>(sums_.parts(period)));
  ConvertedSums all;
  for (const auto& part : *parts) {
    if (part.span != Span::kDay) {
      if (const auto converted = of(part, days)) all += *converted;
    } else if (days.first <= part.first && part.first <= days.last) {
      all += conversion_.convert(sums_.of(part), part.first);
    }
  }
  return all;
}

Fraction FarmMoney::exact_between(Date from, Date to, const Weight& weight) {
  std::map<std::pair<Decimal::Units, Decimal::Units>, Integer> by_rate;
  for (const auto& day : sums_.days(from, to)) {
    for (const auto& [account, bookings, amount] : sums_.of(day).accounts) {
      const auto times = weight(account);
      const auto factor =
          times == 0 ? std::nullopt : conversion_.factor(account.currency, day.first);
      if (factor) by_rate[{factor->base, factor->currency}] += Integer(amount) * times;
    }
  }
  std::vector<Fraction> parts;
  for (const auto& [rate, amount] : by_rate) {
    const auto& [base, currency] = rate;
    parts.emplace_back(amount * Integer(base), Integer(currency) * power_of_ten(8));
  }
  return sum(std::move(parts));
}

}  // namespace tilth
