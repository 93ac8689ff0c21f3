// The task template routes of the REST API.

#pragma once

#include <vector>

#include "api/route.h"

namespace tilth {

std::vector<Route> task_template_routes();

}  // namespace tilth
