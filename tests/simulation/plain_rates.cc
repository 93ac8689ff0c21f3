#include "tests/simulation/plain_rates.h"

#include <iterator>

namespace tilth::testing {

void PlainRates::take(const ExchangeRatesImported& imported) {
  for (const auto& [day, rates] : imported.days) {
    for (const auto& [currency, units] : rates) published_[currency.code][day] = exact(units);
  }
}

std::optional<Fraction> PlainRates::on(const std::string& from, const std::string& into,
                                       const Date& day) const {
  if (from == into) return Fraction(1);
  const auto one = per_euro(from, day), other = per_euro(into, day);
  return one && other ? std::optional<Fraction>(*other / *one) : std::nullopt;
}

std::optional<Fraction> PlainRates::per_euro(const std::string& currency, const Date& day) const {
  if (currency == "EUR") return Fraction(1);
  const auto found = published_.find(currency);
  if (found == published_.end()) return std::nullopt;
  const auto later = found->second.upper_bound(day);
  return later == found->second.begin() ? std::nullopt
                                        : std::optional<Fraction>(std::prev(later)->second);
}

}  // namespace tilth::testing
