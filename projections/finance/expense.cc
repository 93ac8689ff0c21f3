#include "projections/finance/expense.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Expense>;

void evolve(MutableRows& rows, const ExpenseRecorded& e) {
  const auto crop = e.details.crop_id ? rows.find(*e.details.crop_id) : std::nullopt;
  rows.put(Expense{entry_of(e), crop ? crop->field_id : e.details.field_id});
}

ResourceRows expense_rows() {
  return {.rows = {row_type<Expense>()}, .handlers = evolving<ExpenseRecorded, ExpenseRemoved>()};
}

}  // namespace tilth
