// What currencies were worth, day by day. The rates lie in the reference stream of every projection
// that converts, and of the registry, in which imports are decided.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "events/finance/exchange_rate.h"
#include "projections/rows/rows.h"

namespace tilth {

struct ExchangeRate {
  Decimal per_euro;    // units of the currency
  std::string source;  // of the last import that said so

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("perEuro", per_euro), member("source", source));
  }
};

// Threads: one.
class ExchangeRates {
 public:
  // A rate, and the day for which it was published.
  struct Published {
    Date day;
    ExchangeRate rate;
  };

  // `reference` stands on the reference stream, as Rows::reference() does; what it reads must
  // outlive this.
  explicit ExchangeRates(Rows reference) : rows_(std::move(reference)) {}

  // Of that very day.
  std::optional<ExchangeRate> published(const Currency& currency, Date day) const;

  // That by which amounts of `day` are converted: of the last day on or before it on which the
  // currency was published. The euro is worth itself, and no one says so.
  std::optional<Published> on(const Currency& currency, Date day) const;

  // The first day after `day` on which the currency was published: until then on() stays the same.
  std::optional<Date> next(const Currency& currency, Date day) const;

 private:
  RowCursor& cursor() const;

  const Rows rows_;
  mutable std::unique_ptr<RowCursor> cursor_;  // making one costs more than moving it
};

void evolve(MutableRows& rows, const ExchangeRatesImported& e);

}  // namespace tilth
