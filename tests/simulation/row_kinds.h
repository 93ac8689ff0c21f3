// Rows of any table, for rules that know a row by the name of its table.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/rows.h"

namespace tilth::testing {

// The members of a row in JSON, as they are stored. Empty: the simulation has no such table.
std::string stored_json(const RowBytes& row);

// The same as a response at `at` shows it.
std::string shown_json(const RowBytes& row, Timestamp at);

// The ids in the list of what lies below `parent`, of a table that there is.
std::vector<std::string> listed(const Rows& rows, std::string_view table, const Uuid& parent);

}  // namespace tilth::testing
