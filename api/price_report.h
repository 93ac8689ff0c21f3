// The routes of price reports.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> price_report_routes();

}  // namespace tilth
