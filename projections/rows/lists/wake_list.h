// When something happens by itself next, on anyone's land: one list in the order of time, so that a
// clock looks at its head and nowhere else.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/time.h"
#include "projections/rows/row_store.h"

namespace tilth {

// Kept by MutableRows for each row that says wakes_at(). `at` is a sort key, `row` any mark of it.
std::string wake_key(std::string_view at, std::string_view stream, std::string_view row);

// When the first of all comes.
std::optional<Timestamp> next_wake(const RowReader& rows);

// Streams with something that comes by `now`, the earliest first, each once; some of them, if that
// would take to look at more than so many entries.
std::vector<std::string> streams_to_wake(const RowReader& rows, Timestamp now, std::size_t at_most,
                                         std::size_t look_at = 10'000);

}  // namespace tilth
