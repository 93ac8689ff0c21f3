// When something next happens by itself, on any owner's land: one list in order of time, so that a
// clock reads only its head.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/time.h"
#include "projections/rows/row_store.h"

namespace tilth {

// Stored by MutableRows for each row that has wakes_at(). `at` is a sort key; `row` identifies the
// row.
std::string wake_key(std::string_view at, std::string_view stream, std::string_view row);

// When the first of all is due.
std::optional<Timestamp> next_wake(const RowReader& rows);

// Streams with something due by `now`, the earliest first, each once. Returns only some of them if
// more than `look_at` entries would have to be read.
std::vector<std::string> streams_to_wake(const RowReader& rows, Timestamp now, std::size_t at_most,
                                         std::size_t look_at = 10'000);

}  // namespace tilth
