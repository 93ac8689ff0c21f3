// The routes of leaf samples.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> leaf_sample_routes();

}  // namespace tilth
