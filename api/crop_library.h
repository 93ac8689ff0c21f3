// The routes of the crop library and of a grower's shortlist.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> crop_library_routes();

}  // namespace tilth
