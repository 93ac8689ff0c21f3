#include "projections/finance/exchange_rate.h"

#include "projections/fold/row_type.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<ExchangeRate>;

namespace {

// The code, which always has three letters; the day follows, so a currency's days are in order.
std::string prefix_of(const Rows& rows, const Currency& currency) {
  return rows.own_key('x') + currency.code;
}

Date day_of(std::string_view key) { return Date::of_sort_key(key.substr(key.size() - 4)); }

}  // namespace

std::optional<ExchangeRate> ExchangeRates::published(const Currency& currency, Date day) const {
  const auto bytes = rows_.own(prefix_of(rows_, currency) + day.sort_key());
  return bytes ? std::optional(RowCodec<ExchangeRate>::decode(*bytes)) : std::nullopt;
}

std::optional<ExchangeRates::Published> ExchangeRates::on(const Currency& currency,
                                                          Date day) const {
  if (currency == kEuro) return Published{day, {Decimal(1), {}}};
  const auto prefix = prefix_of(rows_, currency);
  auto& at = cursor();
  at.seek_for_prev(prefix + day.sort_key());
  if (!at.valid() || !at.key().starts_with(prefix)) return std::nullopt;
  return Published{day_of(at.key()), RowCodec<ExchangeRate>::decode(at.value())};
}

std::optional<Date> ExchangeRates::next(const Currency& currency, Date day) const {
  const auto prefix = prefix_of(rows_, currency);
  auto& at = cursor();
  at.seek(prefix + Date{day.day + std::chrono::days(1)}.sort_key());
  if (!at.valid() || !at.key().starts_with(prefix)) return std::nullopt;
  return day_of(at.key());
}

RowCursor& ExchangeRates::cursor() const {
  if (!cursor_) cursor_ = rows_.cursor();
  return *cursor_;
}

void evolve(MutableRows& rows, const ExchangeRatesImported& e) {
  for (const auto& [day, rates] : e.days) {
    for (const auto& [currency, per_euro] : rates) {
      rows.store().put(prefix_of(rows, currency) + day.sort_key(),
                       RowCodec<ExchangeRate>::encode({per_euro, e.source}));
    }
  }
}

ResourceRows exchange_rate_rows() {
  return {.handlers = evolving<ExchangeRatesImported>(),
          .more_shape = shape_of(kTypeForm<ExchangeRate>)};
}

}  // namespace tilth
