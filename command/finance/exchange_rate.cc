#include "command/finance/exchange_rate.h"

#include <map>
#include <utility>

#include "projections/finance/exchange_rate.h"

namespace tilth {

Decision decide(const Rows& rows, const ImportExchangeRates& command, const Context& context) {
  const ExchangeRates known(rows);
  std::map<std::pair<Currency, Date>, Decimal> seen;
  ExchangeRatesImported event{command.source, {}, 0, context.now};
  for (const auto& [day, rates] : command.days) {
    PublishedDay news{day, {}};
    for (const auto& rate : rates) {
      const auto [earlier, is_first] = seen.insert({{rate.currency, day}, rate.per_euro});
      const auto before = known.published(rate.currency, day);
      const bool same_value = is_first
                                  ? before && before->per_euro == rate.per_euro
                                  : std::exchange(earlier->second, rate.per_euro) == rate.per_euro;
      if (!same_value) ++event.changed;
      const bool same = same_value && is_first && before->source == command.source;
      if (!same) news.rates.push_back(rate);
    }
    if (!news.rates.empty()) event.days.push_back(std::move(news));
  }
  return event.days.empty() ? Decision(std::nullopt) : Decision(event);
}

}  // namespace tilth
