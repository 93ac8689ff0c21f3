// The route of what crops cost in a country.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> regional_prices_routes();

}  // namespace tilth
