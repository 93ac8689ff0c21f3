// Operators see what a user's API keys asked for lately.

#include "api/operator/commands.h"
#include "api/platform/requests_page.h"

namespace tilth {
namespace {

void list_requests_of_user(const OperatorParts& parts, const Call& call) {
  answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    const auto id = call.id("id");
    if (!find_user(rows, id)) return Error{ErrorCode::kNotFound, "There is no such user."};
    return requests_page(parts.requests, id, call);
  });
}

}  // namespace

std::vector<OperatorRoute> operator_request_routes() {
  return {operator_route("GET", "/operator/v1/users/{id}/requests", "List a user's requests",
                         list_requests_of_user)};
}

}  // namespace tilth
