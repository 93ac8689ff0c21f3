// The routes of /api/v1: each one requires an API key.

#pragma once

#include <string_view>
#include <vector>

#include "api/platform/dispatcher.h"
#include "api/routing/route.h"

namespace tilth {

inline constexpr std::string_view kV1 = "/api/v1";

std::vector<Route> v1_routes();

// Below /api/v1 the key is checked before the path; elsewhere the path comes first.
std::vector<Mount> public_mounts();

}  // namespace tilth
