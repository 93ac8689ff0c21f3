// The routes of soil samples.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> soil_sample_routes();

}  // namespace tilth
