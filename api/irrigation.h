// The routes of irrigations.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> irrigation_routes();

}  // namespace tilth
