// How a farm does and what it will yield, computed from the records alone by docs/analytics.md:
// without the lists and formulas of the queries.

#pragma once

#include <string>

#include "projections/rows/rows.h"
#include "tests/simulation/plain_records.h"

namespace tilth::testing {

// Of the health scores and yield predictions of an owner's farms, asked of the rows of the
// registry, which have aged up to `now`. `library`: the records of the reference data; null: there
// are none. Returns what does not hold; empty: nothing.
std::string wrong_in_analytics(const Rows& rows, const PlainRecords& records,
                               const PlainRecords* library, Timestamp now);

}  // namespace tilth::testing
