// Forgets the requests that a stream remembers (idempotency_record.h), since its owner is erased.

#pragma once

#include "projections/rows/rows.h"

namespace tilth {

// Whether the stream remembers any.
bool remembers_requests(const Rows& rows);

// For evolve().
void forget_requests(MutableRows& rows);

}  // namespace tilth
