// The block routes of the REST API.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> block_routes();

}  // namespace tilth
