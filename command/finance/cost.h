// Records an expense or an overhead: an entry in its farm's currency, unless another is given.

#pragma once

#include "command/record.h"
#include "projections/finance/expense.h"
#include "projections/finance/overhead.h"

namespace tilth {

// ExpenseRecorded. kNotFound: no such farm, or the crop or the field is not on it.
Decision decide(const Rows&, const Create<Expense>&, const Context&);

// OverheadRecorded. kNotFound: no such farm.
Decision decide(const Rows&, const Create<Overhead>&, const Context&);

}  // namespace tilth
