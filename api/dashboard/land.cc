// The land as its owner's dashboard shows it: lists of /api/v1, read with a session.

#include <utility>

#include "api/dashboard/dashboard.h"
#include "projections/work/overdue.h"
#include "query/land/farm.h"
#include "query/work/task.h"

namespace tilth {
namespace {

// Where the rows `age`, they are asked as of an instant that their lists have reached.
void ask(Dashboard& dashboard, const DashboardCall& call, const RowQuery& question, bool age) {
  auto& registry = dashboard.parts().registry;
  if (registry.projector().lacks_events()) {
    return call.answer(Error{ErrorCode::kUnavailable, "The land cannot be read just now."});
  }
  const auto& owner = call.user->user_id;
  const auto view = registry.projector().view(owner);
  auto now = dashboard.parts().clock.now();
  if (age) {
    const auto as_of = lists_as_of(view->rows, now);
    if (!as_of) {
      return registry.when_aged(owner, now, [&dashboard, call, question](bool aged) {
        if (aged) {
          return dashboard.from_rows(call.exchange, [&] { ask(dashboard, call, question, true); });
        }
        call.answer(Error{ErrorCode::kUnavailable, "What fell due cannot be listed just now."});
      });
    }
    now = *as_of;
  }
  auto answer = question(view->rows, now);
  answer ? call.answer(std::move(answer->response)) : call.answer(answer.error());
}

// A listing of v1, answered to anyone who is signed in.
DashboardRoute shown(const Route& route, std::string_view pattern) {
  const auto serve = [read = route.read, age = route.ages](Dashboard& dashboard,
                                                           const DashboardCall& call) {
    const auto& request = call.request();
    const auto now = dashboard.parts().clock.now();
    const auto intent = read({{}, call.query, request.path, request.body, now});
    if (!intent) return call.answer(intent.error());
    ask(dashboard, call, std::get<RowQuery>(*intent), age);
  };
  DashboardWords words{.query_schema = route.query_schema(),
                       .answer_schema = page_schema(route.data_schema()),
                       .refusals = {400}};
  return {"GET", pattern, Caller::kSession, route.summary, serve, {}, std::move(words)};
}

}  // namespace

std::vector<DashboardRoute> own_land_routes() {
  return {
      shown(listing<ListFarms>("/farms", Scope::kFarmsRead, "List own farms"), "/api/farms"),
      shown(listing<ListTasks>("/tasks", Scope::kTasksRead, "List own tasks"), "/api/tasks"),
  };
}

}  // namespace tilth
