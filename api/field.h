// The field routes of the REST API.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> field_routes();

}  // namespace tilth
