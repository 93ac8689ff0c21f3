// Prints the nodes of a service for people.

#pragma once

#include "events/json/json.h"

namespace tilth::cli {

// `nodes` is a list of them, or null.
void print_nodes(const Json* nodes);

}  // namespace tilth::cli
