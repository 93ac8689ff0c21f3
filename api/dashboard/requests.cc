// What the user's API keys asked for lately.

#include "api/dashboard/dashboard.h"
#include "api/platform/requests_page.h"

namespace tilth {
namespace {

void list_requests(Dashboard& dashboard, const Call& call) {
  auto page = requests_page(dashboard.parts().requests, call.user_id(), call);
  page ? call.answer(std::move(*page)) : call.answer(page.error());
}

}  // namespace

std::vector<DashboardRoute> request_routes() {
  return {dashboard_route(
      "GET", "/api/requests", Guard::kSession, "List the requests", list_requests,
      Description{.name = "listRequests",
                  .about = "The last 1,000 requests with the user's API keys in 7 days, newest "
                           "first, as this node has answered them.",
                  .query = request_schema<RequestsQuery>,
                  .answer = [] { return page_schema(answer_schema<std::vector<LoggedRequest>>()); },
                  .paged = true,
                  .refusals = {400}})};
}

}  // namespace tilth
