// The routes of sales.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> sale_routes();

}  // namespace tilth
