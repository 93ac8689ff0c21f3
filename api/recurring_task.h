// The routes of recurring tasks.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> recurring_task_routes();

}  // namespace tilth
