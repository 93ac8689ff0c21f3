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
  return {
      {"GET", "/api/api-keys", Asker::kSession, "List your API keys", list},
      {"POST", "/api/api-keys", Asker::kSession, "Mint an API key", mint},
      {"DELETE", "/api/api-keys/{id}", Asker::kSession, "Revoke an API key", revoke},
      {"GET", "/api/scopes", Asker::kSession, "What a key may be used for", scopes},
  };
}

}  // namespace tilth
