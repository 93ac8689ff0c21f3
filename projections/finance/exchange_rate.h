// Exchange rates by day. They are in the reference stream of every projection that converts, and of
// the registry, in which imports are decided.

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
  std::string source;  // of the last import that set it

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

  // `reference` must be on the reference stream, as Rows::reference() is. What it reads must
  // outlive this.
  explicit ExchangeRates(Rows reference) : rows_(std::move(reference)) {}

  // The rate of exactly that day.
  std::optional<ExchangeRate> published(const Currency& currency, Date day) const;

  // The rate by which amounts of `day` are converted: of the last day on or before it for which the
  // currency was published. The euro's rate is always one and is not published.
  std::optional<Published> on(const Currency& currency, Date day) const;

  // The first day after `day` for which the currency was published: until then on() returns the
  // same.
  std::optional<Date> next(const Currency& currency, Date day) const;

 private:
  RowCursor& cursor() const;

  const Rows rows_;
  mutable std::unique_ptr<RowCursor> cursor_;  // making one costs more than moving it
};

void evolve(MutableRows& rows, const ExchangeRatesImported& e);

}  // namespace tilth
