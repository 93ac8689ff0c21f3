// The routes of what is computed of a farm: how it is doing, what it will yield.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> analytics_routes();

}  // namespace tilth
