// The market: all owners' offers, filed under the country of their farm and the name of their crop,
// and the sums that regional prices follow from. It folds every owner's stream and the reference
// stream into rows of its own, which are all in one stream.
//
// What counts follows from the offers and the present farms, crops, library and rates, in whatever
// order those arrived. So a change of one of these reviews the offers that it affects and files
// them again: some at once, and if there are many the rest on a read, as rows age (overdue.h). An
// offer counts from its date on, for a year.
//
// This is the only place that adds up the data of several owners. If a node has only some of the
// partitions, the PriceSums of all nodes must be added up.

#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "projections/rows/rows.h"

namespace tilth {

// The stream of its rows; no owner has this name.
inline constexpr std::string_view kMarketStream = "market";

// For how many days an offer counts, including its date.
inline constexpr std::chrono::days kOfferCounts{365};

// Refiles what is left of the backlog, and lets offers whose day has come enter and leave, about
// `at_most` of them. Returns whether those were all.
bool age_market(MutableRows& market, Timestamp now, std::size_t at_most);

// Whether prices are current as of `now`, or something has to age first; one look-up.
bool prices_are_current(const Rows& market, Timestamp now);

}  // namespace tilth
