// The land as its owner's dashboard shows it: lists of /api/v1, read with a session.

#include <utility>

#include "api/dashboard/dashboard.h"
#include "query/farm.h"

namespace tilth {
namespace {

// A listing of v1, answered to whoever is signed in.
DashboardRoute shown(Route route, std::string_view pattern) {
  const auto serve = [read = route.read](Dashboard& dashboard, const DashboardCall& call) {
    const auto& registry = dashboard.parts().registry;
    const auto& request = call.request();
    const auto intent = read({{}, call.query, request.path, request.body});
    if (!intent) return call.answer(intent.error());
    if (registry.faulted()) {
      return call.answer(Error{ErrorCode::kUnavailable, "The land cannot be read just now."});
    }
    const auto view = registry.view(call.user->user_id);
    auto answer = std::get<Question>(*intent)(view->rows, dashboard.parts().clock.now());
    answer ? call.answer(std::move(answer->response)) : call.answer(answer.error());
  };
  return {"GET", pattern, Asker::kSession, route.summary, serve};
}

}  // namespace

std::vector<DashboardRoute> own_land_routes() {
  return {
      shown(listing<ListFarms>("/farms", Scope::kFarmsRead, "List your farms"), "/api/farms"),
  };
}

}  // namespace tilth
