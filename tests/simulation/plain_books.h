// What farms earn and spend, and what crops cost, added up from the records alone: without the sums
// that are kept, and the code that keeps them.

#pragma once

#include <string>

#include "projections/rows/rows.h"
#include "tests/simulation/plain_rates.h"
#include "tests/simulation/plain_records.h"

namespace tilth::testing {

// Of an owner's rows in the projection `finance`: what is booked, and the financial summary of each
// farm. Returns what does not hold; empty: nothing.
std::string wrong_in_books(const Rows& books, const PlainRecords& records, const PlainRates& rates);

}  // namespace tilth::testing
