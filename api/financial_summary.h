// The financial summary's route.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> financial_summary_routes();

}  // namespace tilth
