#include "query/finance/financial_summary.h"

#include <map>

#include "events/finance/base_currency.h"
#include "events/finance/expense.h"
#include "events/finance/overhead.h"
#include "projections/land/record.h"
#include "query/finance/farm_money.h"

namespace tilth {
namespace {

constexpr int kRateDigits = 8;
const Integer kOne = 100'000'000;  // in hundred-millionths

std::string_view category_name(const Account& account) {
  return account.book == Book::kExpenses ? name_of(static_cast<ExpenseCategory>(account.category))
                                         : name_of(static_cast<OverheadCategory>(account.category));
}

// Adds up and rounds each figure once, from its exact sum.
class Figures {
 public:
  Figures(const Rows& rows, const FarmId& farm, const Currency& base, Date from, Date to)
      : money_(rows, farm, base),
        from_(from),
        to_(to),
        digits_(base.minor_digits()),
        sums_(money_.between(from, to)) {}

  const std::set<std::string>& sources() const { return sums_.sources; }

  std::vector<Currency> unconverted() const {
    std::set<Currency> currencies;
    for (const auto& sum : sums_.accounts) {
      if (sum.bookings_with_rate < sum.booked.bookings) {
        currencies.insert(sum.booked.account.currency);
      }
    }
    return {currencies.begin(), currencies.end()};
  }

  std::string total(Book book) {
    return money([book](const Account& account) { return account.book == book ? 1 : 0; });
  }
  std::string net() {
    return money([](const Account& account) { return account.book == Book::kRevenue ? 1 : -1; });
  }

  ByName<CurrencySummary> by_currency(Book book) {
    std::map<Currency, ConvertedSum> currencies;
    for (const auto& sum : sums_.accounts) {
      const auto& account = sum.booked.account;
      if (account.book == book) currencies[account.currency] += sum;
    }
    ByName<CurrencySummary> all;
    for (const auto& [currency, sum] : currencies) {
      all.members.emplace_back(currency.code, of_currency(book, currency, sum));
    }
    return all;
  }

  ByName<Amount> by_category(Book book) {
    ByName<Amount> all;
    const Account* last = nullptr;
    for (const auto& sum : sums_.accounts) {
      const auto& account = sum.booked.account;
      if (account.book != book || (last != nullptr && last->category == account.category)) continue;
      last = &account;
      all.members.emplace_back(category_name(account), money([&](const Account& each) {
                                 return each.book == book && each.category == account.category;
                               }));
    }
    return all;
  }

 private:
  CurrencySummary of_currency(Book book, const Currency& currency, const ConvertedSum& sum) {
    CurrencySummary summary{scaled_text(Integer(sum.booked.amount), 8), {}, {}};
    if (sum.bookings_with_rate == 0) return summary;
    const auto counts = [&](const Account& each) {
      return each.book == book && each.currency == currency ? 1 : 0;
    };
    summary.converted = text(sum.converted, kOne, digits_, counts);
    const Integer original(sum.amount_with_rate);
    if (original != 0) summary.rate = text(sum.converted, original, kRateDigits, counts);
    return summary;
  }

  std::string money(const FarmMoney::Weight& weight) {
    Converted sum;
    for (const auto& each : sums_.accounts) {
      const auto times = weight(each.booked.account);
      if (times > 0) sum += each.converted;
      if (times < 0) sum -= each.converted;
    }
    return text(sum, kOne, digits_, weight);
  }

  // A sum divided by so many hundred-millionths, as a decimal. If the sum is not precise enough to
  // be rounded, which is very rare, it is computed exactly.
  std::string text(const Converted& sum, const Integer& divisor, int digits,
                   const FarmMoney::Weight& weight) {
    const auto scale = power_of_ten(digits + 8);
    const auto whole = power_of_ten(Converted::kPlaces) * divisor;
    const auto least = half_even(Integer(sum.least) * scale, whole);
    const auto most = half_even(Integer(sum.least + sum.slack) * scale, whole);
    if (least == most) return scaled_text(least, digits);
    const auto exact = money_.exact_between(from_, to_, weight);
    return rounded(exact * Fraction(power_of_ten(8), divisor), digits);
  }

  FarmMoney money_;
  const Date from_, to_;
  const int digits_;
  const ConvertedSums sums_;
};

}  // namespace

Result<FinancialSummary> run_query(const Rows& rows, const SummarizeFinances& query, Timestamp) {
  const auto farm = rows.find(Id<BookedFarm>{query.at.farm_id.uuid});
  if (!farm) return there_is_no<Farm>();
  const auto base = base_currency(farm->currency, farm->country);
  const auto& [from, to] = query.period;
  const auto last = to ? std::optional<Date>(*to) : std::nullopt;
  const auto all_time = CalendarPeriod::of(Span::kAllTime, {});
  Figures figures(rows, query.at.farm_id, base, from.value_or(all_time.first),
                  last.value_or(all_time.last()));
  FinancialSummary summary{query.at.farm_id, base, from, last};
  summary.revenue = {figures.total(Book::kRevenue), figures.by_currency(Book::kRevenue)};
  for (auto [cost, book] : {std::pair(&summary.expenses, Book::kExpenses),
                            std::pair(&summary.overheads, Book::kOverheads)}) {
    cost->total = figures.total(book);
    cost->by_currency = figures.by_currency(book);
    cost->by_category = figures.by_category(book);
  }
  summary.net = figures.net();
  for (const auto& source : figures.sources()) {
    auto& named = summary.rate_source;
    named = named ? *named + ", " + source : source;
  }
  summary.unconverted_currencies = figures.unconverted();
  return summary;
}

}  // namespace tilth
