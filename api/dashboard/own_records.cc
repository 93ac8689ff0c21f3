// The owner's records for the dashboard: the routes of /api/v1 below /api, with a session as guard.

#include <utility>

#include "api/dashboard/dashboard.h"
#include "api/v1/routes.h"

namespace tilth {

// The same commands and queries, so what a signed-in person may do is what the plan allows. They
// are left out of the API's description: integrations use /api/v1.
std::vector<DashboardRoute> own_record_routes(const V1Settings& settings) {
  std::vector<DashboardRoute> own;
  for (auto& route : v1_routes(settings)) {
    route.mount = "/api";
    route.guard = Guard::kSession;
    route.scope = {};
    route.description = {};
    own.push_back({std::move(route)});
  }
  return own;
}

}  // namespace tilth
