// One's own API keys: to mint, to see and to revoke them.

#include "api/api_key.h"
#include "api/dashboard/dashboard.h"

namespace tilth {
namespace {

constexpr std::size_t kMostKeys = 10;

void mint(Dashboard& dashboard, const DashboardCall& call) {
  const auto& parts = dashboard.parts();
  const auto& plans = dashboard.settings().plans;
  const auto plan = plans.find(call.user->plan);
  if (plan == plans.end() || !plan->second.may_mint_keys) {
    return call.answer(Error{ErrorCode::kTierInsufficient, "Your plan does not include API keys."});
  }
  Issues issues;
  auto details = read_key_details(call.request().body, issues);
  if (!issues.empty()) {
    return call.answer(Error{ErrorCode::kInvalid, "The request is not valid.", std::move(issues)});
  }
  auto made = new_key(call.user->user_id, std::move(details), parts.ids, parts.digest);
  made.command.most_keys = kMostKeys;
  dashboard.carry_out(
      call, deciding(made.command), [&parts, key = made.key](const Outcome& outcome) {
        const auto row = RowCodec<ApiKey>::decode(outcome.row.value().bytes);
        return answer_json(201, "{\"data\":" + shown_key(row, parts.limiter, key) + "}");
      });
}

void list(Dashboard& dashboard, const DashboardCall& call) {
  const auto view = dashboard.access_view();
  std::string body = "{\"data\":[";
  for (const auto& key : unrevoked_keys(view.rows, *call.user)) {
    if (body.back() != '[') body.push_back(',');
    body.append(shown_key(key, dashboard.parts().limiter));
  }
  call.answer(answer_json(200, body + "]}"));
}

void scopes(Dashboard&, const DashboardCall& call) {
  const std::vector<std::string> names(kScopeNames.begin(), kScopeNames.end());
  call.answer(answer_json(200, "{\"data\":" + JsonWriter::text(names) + "}"));
}

void revoke(Dashboard& dashboard, const DashboardCall& call) {
  const auto& key_id = call.path.front().second;
  dashboard.carry_out(
      call, deciding(RevokeKey{call.user->user_id, key_id, call.client}),
      [](const Outcome&) {
        return answer_json(200, R"({"success":true,"message":"The API key works no more."})");
      },
      dashboard.parts().lease);
}

}  // namespace

std::vector<DashboardRoute> own_key_routes() {
  const auto many = R"({"type":"array","items":)" + key_schema(false) + "}";
  return {
      {"GET",
       "/api/api-keys",
       Asker::kSession,
       "List own API keys",
       list,
       {},
       DashboardWords{.answer_schema = wrapping_schema("data", many)}},
      {"POST",
       "/api/api-keys",
       Asker::kSession,
       "Mint an API key",
       mint,
       {},
       DashboardWords{.body_schema = request_schema<KeyDetails>(),
                      .answer_schema = wrapping_schema("data", key_schema(true)),
                      .status = 201,
                      .refusals = {400, 409}}},
      {"DELETE",
       "/api/api-keys/{id}",
       Asker::kSession,
       "Revoke an API key",
       revoke,
       {},
       DashboardWords{.path_schema = R"({"properties":{"id":{"type":"string"}}})",
                      .answer_schema = R"({"type":"object","required":["success","message"],)"
                                       R"("properties":{"success":{"const":true},)"
                                       R"("message":{"type":"string"}}})",
                      .refusals = {404}}},
      {"GET",
       "/api/scopes",
       Asker::kSession,
       "List the scopes",
       scopes,
       {},
       DashboardWords{.answer_schema =
                          wrapping_schema("data", answer_schema<std::vector<std::string>>())}},
  };
}

}  // namespace tilth
