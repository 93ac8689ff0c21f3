#include "query/farm_money.h"

#include <atomic>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace tilth {
namespace {

int year_of(Date date) { return static_cast<int>(std::chrono::year_month_day(date.day).year()); }

// In pairs, so that the numbers stay small for as long as they can.
Fraction sum(std::vector<Fraction> parts) {
  if (parts.empty()) return 0;
  for (std::size_t step = 1; step < parts.size(); step *= 2) {
    for (std::size_t i = 0; i + step < parts.size(); i += 2 * step) parts[i] += parts[i + step];
  }
  return parts.front();
}

}  // namespace

// A period's sums as they are read, and what they came to when they were converted last.
struct FarmMoney::Kept {
  struct Result {
    Currency base;
    std::uint64_t rates;  // RateChanges::last() of the year
    ConvertedSums sums;
  };

  explicit Kept(std::string_view bytes) : sums(Sums::decode(bytes)) {}

  static Made make(std::string_view bytes) {
    auto kept = std::make_shared<const Kept>(bytes);
    constexpr auto kEach = sizeof(AccountSum) + sizeof(ConvertedSum);
    const auto size = sizeof(Kept) + sizeof(Result) + kept->sums.accounts.size() * kEach;
    return {std::move(kept), size};
  }

  const Sums sums;
  mutable std::atomic<std::shared_ptr<const Result>> result;
};

FarmMoney::FarmMoney(const Rows& rows, const FarmId& farm, const Currency& base)
    : sums_(rows, farm),
      changes_(RateChanges::read(rows.reference())),
      conversion_(rows.reference(), base) {}

ConvertedSums FarmMoney::between(Date from, Date to) {
  ConvertedSums all;
  sums_.cover(from, to, [&](const CalendarPeriod& period) {
    if (const auto part = of(period)) all += *part;
  });
  return all;
}

std::shared_ptr<const ConvertedSums> FarmMoney::of(const CalendarPeriod& period) {
  const auto kept = std::static_pointer_cast<const Kept>(sums_.made_of(period, Kept::make));
  if (!kept) return nullptr;
  const auto rates = changes_.last(year_of(period.first));
  auto result = kept->result.load();
  if (!result || result->base != conversion_.base() || result->rates != rates) {
    result = std::make_shared<const Kept::Result>(
        Kept::Result{conversion_.base(), rates, compute(period, kept->sums)});
    kept->result.store(result);
  }
  return {result, &result->sums};
}

// The days of a month are many, and are seldom asked for alone: they are not kept.
ConvertedSums FarmMoney::compute(const CalendarPeriod& period, const Sums& sums) {
  if (period.span == Span::kDay) return conversion_.convert(sums, period.first);
  ConvertedSums all;
  sums_.parts(period, [&](const CalendarPeriod& part) {
    if (part.span == Span::kDay) {
      all += conversion_.convert(sums_.of(part), part.first);
    } else if (const auto converted = of(part)) {
      all += *converted;
    }
  });
  return all;
}

Fraction FarmMoney::exact_between(Date from, Date to, const Weight& weight) {
  std::map<std::pair<Decimal::Units, Decimal::Units>, Integer> by_rate;
  sums_.days(from, to, [&](const CalendarPeriod& day) {
    for (const auto& [account, bookings, amount] : sums_.of(day).accounts) {
      const auto times = weight(account);
      const auto factor =
          times == 0 ? std::nullopt : conversion_.factor(account.currency, day.first);
      if (factor) by_rate[{factor->base, factor->currency}] += Integer(amount) * times;
    }
  });
  std::vector<Fraction> parts;
  for (const auto& [rate, amount] : by_rate) {
    const auto& [base, currency] = rate;
    parts.emplace_back(amount * Integer(base), Integer(currency) * power_of_ten(8));
  }
  return sum(std::move(parts));
}

}  // namespace tilth
