// What is left of an owner's rows when the owner is erased.

#pragma once

#include "events/access/erasure.h"
#include "projections/rows/rows.h"

namespace tilth {

// Whether the stream has rows, or remembers requests.
bool has_records(const Rows& rows);

}  // namespace tilth
