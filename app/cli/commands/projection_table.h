// Prints the projections of a service for people.

#pragma once

#include "events/json/json.h"

namespace tilth::cli {

// `projections` is that member of a status, or null.
void print_projections(const Json* projections);

}  // namespace tilth::cli
