// Operators mint, list and revoke API keys.

#include "api/keys/api_key.h"
#include "api/operator/commands.h"
#include "command/access/user.h"

namespace tilth {
namespace {

void mint(const OperatorParts& parts, Call call) {
  Issues issues;
  auto details = read_key_details(call.request().body, call.now, issues);
  if (!issues.empty()) return call.answer(invalid(issues));
  const auto made = new_key(call.id("id"), std::move(details), parts.ids, parts.digest);
  carry_out(access_stream(parts), std::move(call), deciding(made.command), {},
            [&parts, key = made.key](const CommandResult& outcome) {
              const auto row = RowCodec<ApiKey>::decode(outcome.row.value().bytes);
              return json_response(201, "{\"data\":" + shown_key(row, parts.limiter, key) + "}");
            });
}

void list_keys(const OperatorParts& parts, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  const auto page = read_page(query, ApiKey::kSorts, problems);
  if (const auto verdict = problems.verdict(); !verdict) {
    return call.answer(verdict.error());
  }
  answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    const auto user = find_user(rows, call.id("id"));
    if (!user) return Error{ErrorCode::kNotFound, "There is no such user."};
    const auto keys = list_page<ApiKey>(rows, user->id.uuid, {}, page);
    ListBody body;
    for (const auto& key : keys.rows) body.add(shown_key(key, parts.limiter));
    return json_response(200, body.end(keys.total, page.page, page.limit));
  });
}

void revoke(const OperatorParts& parts, Call call) {
  const RevokeKey command{call.id("id"), call.id("keyId")};
  carry_out(
      access_stream(parts), std::move(call), deciding(command), {},
      [](const CommandResult&) { return HttpResponse{204}; }, parts.lease);
}

void scopes(const OperatorParts&, const Call& call) {
  call.answer(json_response(200, scopes_json()));
}

}  // namespace

std::vector<OperatorRoute> operator_key_routes() {
  constexpr std::string_view kMany = "/operator/v1/users/{id}/api-keys";
  return {
      operator_route("POST", kMany, "Mint an API key", mint),
      operator_route("GET", kMany, "List a user's API keys", list_keys),
      operator_route("DELETE", "/operator/v1/users/{id}/api-keys/{keyId}", "Revoke an API key",
                     revoke),
      operator_route("GET", "/operator/v1/scopes", "List the scopes", scopes),
  };
}

}  // namespace tilth
