// A farm's books for specs: what is recorded on the small farm of land.h, folded as the finance
// projection folds it.

#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "projections/booking.h"
#include "projections/exchange_rate.h"
#include "tests/land.h"

namespace tilth::testing {

// Folds one event, and all that it takes with it.
template <class E>
void fold_finance(RowStore& store, const E& event, std::string_view stream = "user_1") {
  MutableRows rows(store, stream, 0);
  evolve_finance(rows, event);
  Sweep(rows.sweeps()).advance(rows, std::numeric_limits<std::size_t>::max());
}

inline ExpenseRecorded spent(char digit, std::string_view amount, std::string_view day,
                             ExpenseDetails on = {}, const Currency& currency = kEuro) {
  on.cost = {.amount = parsed<Decimal>(amount),
             .currency = currency,
             .category = ExpenseCategory::kFuel,
             .transaction_date = parsed<Date>(day)};
  return {{id<ExpenseId>(digit), {kFarm.farm_id}, on, kThen}};
}

inline OverheadRecorded overhead(char digit, std::string_view amount, std::string_view day) {
  return {{id<OverheadId>(digit),
           {kFarm.farm_id},
           {.cost = {.amount = parsed<Decimal>(amount),
                     .currency = kEuro,
                     .category = OverheadCategory::kTax,
                     .transaction_date = parsed<Date>(day)}},
           kThen}};
}

inline SaleRecorded sold(char digit, std::string_view total, std::string_view day,
                         const Currency& currency = kEuro) {
  const auto amount = parsed<Decimal>(total);
  return {{id<SaleId>(digit),
           {kCrop.crop_id, kFarm.farm_id},
           {.quantity = amount,
            .price_per_unit = Decimal(1),
            .currency = currency,
            .sale_date = parsed<Date>(day)},
           kThen},
          amount};
}

inline ExchangeRatesImported rate_imported(const Currency& currency, std::string_view day,
                                           std::string_view per_euro, std::string source = "ECB") {
  return {
      std::move(source), {{parsed<Date>(day), {{currency, parsed<Decimal>(per_euro)}}}}, 1, kThen};
}

// The farm with its field and crop.
inline void fold_land(RowStore& store) {
  fold_finance(store, farm_registered());
  fold_finance(store, field_registered());
  fold_finance(store, crop_registered());
}

}  // namespace tilth::testing
