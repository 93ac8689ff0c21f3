// The farm routes of the REST API.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> farm_routes();

}  // namespace tilth
