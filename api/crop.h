// The crop routes of the REST API.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> crop_routes();

}  // namespace tilth
