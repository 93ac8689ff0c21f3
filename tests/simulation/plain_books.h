// What farms earn and spend, and what crops cost, added up from the records alone: without the sums
// that are kept, and the code that keeps them.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "projections/rows/row_store.h"
#include "projections/rows/rows.h"
#include "query/market/regional_prices.h"
#include "tests/simulation/plain_rates.h"
#include "tests/simulation/plain_records.h"

namespace tilth::testing {

// Functions return what does not hold; empty: nothing.

// Of an owner's rows in the projection `finance`: what is booked, and the financial summary of each
// farm.
std::string wrong_in_books(const Rows& books, const PlainRecords& records, const PlainRates& rates);

// Of the rows of the projection `market`, aged up to `now`: which offers there are, how many
// farms offer each crop in each country, and at what prices. `owners`: the records of each stream,
// also those of before an erasure, and the reference data's.
std::string wrong_in_market(const RowReader& rows,
                            const std::multimap<std::string, const PlainRecords*>& owners,
                            Timestamp now, const PlainRates& rates);

// The response to a query of regional prices, as of `now`, in JSON.
using AskPrices = std::function<std::string(const AskRegionalPrices& query)>;

// Of the responses for all countries with offers, and for each crop there. A price is shown once as
// many owners contribute to it.
std::string wrong_in_prices(const AskPrices& ask, std::uint64_t min_owners,
                            const std::multimap<std::string, const PlainRecords*>& owners,
                            Timestamp now, const PlainRates& rates);

}  // namespace tilth::testing
