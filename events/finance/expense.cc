#include "events/finance/expense.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> expense_events() { return codecs_of<ExpenseRecorded, ExpenseRemoved>(); }

}  // namespace tilth
