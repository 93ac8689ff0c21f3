// The list of rows: which resources have rows in which projection. Fingerprint, dispatch, cascade
// and the rows that a cascade takes out of lists are derived from it.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "projections/fold/row_type.h"

namespace tilth {

// The rows of the projection of that name, in the order of the list.
std::span<const ResourceRows> rows_of(std::string_view projection);

// What all events do to the rows of a projection.
const EventHandlers& handlers_of(std::string_view projection);

// A hash of all shapes of a projection. `fold_version` is raised by hand when rows of the same
// shape are folded differently.
std::string fingerprint_of(std::string_view projection, int fold_version);

// The table of the rows under which rows of `table` can be hidden (visible_rows.h): they lie in a
// list of that row alone, and nothing else changes when a cascade erases them and what lies below
// them. Empty: there is none.
std::string_view hidden_below(std::string_view table);

}  // namespace tilth
