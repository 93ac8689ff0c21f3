// To write down an expense or an overhead: an entry whose currency is that of its farm, unless
// said.

#pragma once

#include "command/entry.h"
#include "projections/expense.h"
#include "projections/overhead.h"

namespace tilth {

// ExpenseRecorded. kNotFound: no such farm, or the crop or the field is not on it.
Decision decide(const Rows&, const RecordEntry<Expense>&, const Context&);

// OverheadRecorded. kNotFound: no such farm.
Decision decide(const Rows&, const RecordEntry<Overhead>&, const Context&);

}  // namespace tilth
