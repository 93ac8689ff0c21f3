#include "projections/finance/rate_changes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "projections/finance/exchange_rate.h"
#include "projections/fold/row_type.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<RateChanges>;

namespace {

std::string key_of(const Rows& reference) { return reference.own_key('y'); }

int year_of(Date date) { return static_cast<int>(std::chrono::year_month_day(date.day).year()); }

RateChanges::Year& at(std::vector<RateChanges::Year>& all, int year) {
  const auto found = std::ranges::lower_bound(all, year, {}, &RateChanges::Year::year);
  if (found != all.end() && found->year == year) return *found;
  return *all.insert(found, {year});
}

}  // namespace

RateChanges RateChanges::read(const Rows& reference) {
  const auto make = [](std::string_view bytes) -> Derived {
    auto changes = std::make_shared<const RateChanges>(RowCodec<RateChanges>::decode(bytes));
    const auto size = sizeof(RateChanges) + changes->years.size() * sizeof(Year);
    return {std::move(changes), size};
  };
  const auto made = reference.own_derived(key_of(reference), make);
  return made ? *std::static_pointer_cast<const RateChanges>(made) : RateChanges{};
}

std::uint64_t RateChanges::last(int year) const {
  std::uint64_t number = 0;
  for (const auto& each : years) {
    if (each.year > year) break;
    number = std::max(number, each.onwards);
    if (each.year == year) number = std::max(number, each.within);
  }
  return number;
}

namespace {

// A rate is valid until the currency's next one. The rates of `e` are already stored.
void note_changes(MutableRows& reference, const ExchangeRatesImported& e) {
  const ExchangeRates rates(reference);
  auto changes = RateChanges::read(reference);
  const auto number = ++changes.imports;
  for (const auto& [day, published] : e.days) {
    for (const auto& [currency, per_euro] : published) {
      const auto next = rates.next(currency, day);
      if (!next) {
        at(changes.years, year_of(day)).onwards = number;
        continue;
      }
      const auto last = year_of({next->day - std::chrono::days(1)});
      for (int year = year_of(day); year <= last; ++year) at(changes.years, year).within = number;
    }
  }
  reference.store().put(key_of(reference), RowCodec<RateChanges>::encode(changes));
}

}  // namespace

ResourceRows rate_changes_rows() {
  return {.handlers = EventHandlers().on<ExchangeRatesImported>(note_changes),
          .more_shape = shape_of(kTypeForm<RateChanges>)};
}

}  // namespace tilth
