#include "projections/expense.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Expense>;

void evolve(MutableRows& rows, const ExpenseRecorded& e) {
  const auto crop = e.details.crop_id ? rows.find(*e.details.crop_id) : std::nullopt;
  rows.put(Expense{entry_of(e), crop ? crop->field_id : e.details.field_id});
}

void evolve(MutableRows& rows, const ExpenseRemoved& e) { erase(rows, e); }

}  // namespace tilth
