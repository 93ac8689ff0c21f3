// Whether an event that goes along with its record is what the record's JSON says.

#pragma once

#include "events/catalogue.h"

namespace tilth::testing {

// Compares each member as rows keep it, so that no row can tell one from the other.
void expect_reads_back(const Event& event);

}  // namespace tilth::testing
