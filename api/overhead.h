// The routes of overheads.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> overhead_routes();

}  // namespace tilth
