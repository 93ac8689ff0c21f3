// The routes of fertigations.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> fertigation_routes();

}  // namespace tilth
