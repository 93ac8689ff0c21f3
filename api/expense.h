// The routes of expenses.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> expense_routes();

}  // namespace tilth
