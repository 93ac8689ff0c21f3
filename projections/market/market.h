// The market: all owners' offers, filed under the country of their farm and the name of their crop,
// and the sums that regional prices follow from. It folds every owner's stream and the reference
// stream into rows of its own, which all lie under one name.
//
// What counts follows from the offers and from what farms, crops, the library and the rates say at
// present, in whatever order that came. So a change of one of these looks again at the offers that
// it touches and files them again: some at once, and if there are many the rest when somebody
// looks, as rows age (overdue.h). An offer counts from its date on, for a year.
//
// Here is the one place that adds up what several owners did. Where a node has some of the
// partitions only, the PriceSums of all nodes are what is to be added up.

#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "projections/rows/rows.h"

namespace tilth {

// Under which its rows lie; no owner is called so.
inline constexpr std::string_view kMarketStream = "market";

// For how many days an offer counts, that of its date included.
inline constexpr std::chrono::days kOfferCounts{365};

// Files again what is left to be, and lets offers enter and leave whose day has come, about
// `at_most` of them; whether those were all.
bool age_market(MutableRows& market, Timestamp now, std::size_t at_most);

// Whether prices can be read as of `now`, or something has to age before; one look-up.
bool prices_stand(const Rows& market, Timestamp now);

}  // namespace tilth
