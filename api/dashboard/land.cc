// The owner's land for the dashboard: lists of /api/v1, read with a session.

#include <utility>

#include "api/dashboard/dashboard.h"
#include "query/land/farm.h"
#include "query/work/task.h"

namespace tilth {
namespace {

// A v1 listing for the signed-in user.
DashboardRoute own(Route listing) {
  listing.guard = Guard::kSession;
  listing.scope = {};
  std::get<Operation>(listing.action).of_the_past = false;
  listing.description->path = {};
  listing.description->paged = true;
  listing.description->refusals = {400};
  return {std::move(listing)};
}

}  // namespace

std::vector<DashboardRoute> own_land_routes() {
  return {
      own(listing<ListFarms>("/api/farms", Scope::kFarmsRead, "List own farms")),
      own(listing<ListTasks>("/api/tasks", Scope::kTasksRead, "List own tasks")),
  };
}

}  // namespace tilth
