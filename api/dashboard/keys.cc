// A user's own API keys: mint, list and revoke.

#include <limits>

#include "api/dashboard/dashboard.h"
#include "api/keys/api_key.h"

namespace tilth {
namespace {

constexpr std::size_t kMostKeys = 10;
constexpr std::size_t kMostRevoked = 100;
constexpr auto kAll = std::numeric_limits<std::size_t>::max();

struct OwnKeysQuery {
  std::optional<bool> revoked;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("revoked", revoked,
              {.doc = "With true, the newest 100 keys that are revoked, and no others."}));
  }
};

void mint(Dashboard& dashboard, const Call& call) {
  const auto& parts = dashboard.parts();
  const auto& plans = dashboard.settings().plans;
  const auto plan = plans.find(call.user->plan);
  if (plan == plans.end() || !plan->second.may_mint_keys) {
    return call.answer(Error{ErrorCode::kTierInsufficient, "Your plan does not include API keys."});
  }
  if (parts.bytes != nullptr) {
    const auto within =
        parts.bytes->check(call.user->user_id, plan->second.bytes_per_hour, call.now);
    if (!within) return call.answer(within.error());
  }
  Issues issues;
  auto details = read_key_details(call.request().body, call.now, issues);
  if (!issues.empty()) {
    return call.answer(Error{ErrorCode::kInvalid, "The request is not valid.", std::move(issues)});
  }
  auto made = new_key(call.user->user_id, std::move(details), parts.ids, parts.digest);
  made.command.most_keys = kMostKeys;
  dashboard.carry_out(
      call, deciding(made.command), [&parts, key = made.key](const CommandResult& outcome) {
        const auto row = RowCodec<ApiKey>::decode(outcome.row.value().bytes);
        return json_response(201, "{\"data\":" + shown_key(row, parts.limiter, key) + "}");
      });
}

void list(Dashboard& dashboard, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  OwnKeysQuery wanted;
  wanted.serialize(static_cast<MemberVisitor&>(query));
  if (const auto verdict = problems.verdict(); !verdict) return call.answer(verdict.error());
  const auto view = dashboard.access_view();
  const auto keys = wanted.revoked.value_or(false)
                        ? revoked_keys(view.rows, *call.user, kMostRevoked)
                        : unrevoked_keys(view.rows, *call.user, kAll);
  std::string body = "{\"data\":[";
  for (const auto& key : keys) {
    if (body.back() != '[') body.push_back(',');
    body.append(shown_key(key, dashboard.parts().limiter));
  }
  call.answer(json_response(200, body + "]}"));
}

void scopes(Dashboard&, const Call& call) { call.answer(json_response(200, scopes_json())); }

void revoke(Dashboard& dashboard, const Call& call) {
  const auto key_id = call.id("id");
  dashboard.carry_out(
      call, deciding(RevokeKey{call.user->user_id, key_id, call.client}),
      [](const CommandResult&) {
        return json_response(200, R"({"success":true,"message":"The API key was revoked."})");
      },
      dashboard.parts().lease);
}

Json always_true() {
  Json schema = Json::object();
  schema.add("const", Json::boolean(true));
  return schema;
}

}  // namespace

std::vector<DashboardRoute> own_key_routes() {
  constexpr std::string_view kMany = "/api/api-keys";
  const auto list_schema = [] { return data_schema(array_schema(key_schema(false))); };
  const auto minted_schema = [] { return data_schema(key_schema(true)); };
  const auto path_schema = [] { return object_schema({{"id", simple_schema("string")}}); };
  const auto body_schema = [] { return renamed(request_schema<KeyDetails>(), "ApiKeyCreate"); };
  const auto revoked_schema = [] {
    return object_schema({{"success", always_true()}, {"message", simple_schema("string")}});
  };
  return {
      dashboard_route(
          "GET", kMany, Guard::kSession, "List own API keys", list,
          Description{
              .name = "listApiKeys",
              .about = "All keys of the account that are not revoked, without the keys themselves.",
              .query = request_schema<OwnKeysQuery>,
              .answer = list_schema,
              .refusals = {400}}),
      dashboard_route(
          "POST", kMany, Guard::kSession, "Create an API key", mint,
          Description{.name = "createApiKey",
                      .about = "The response is the only one that ever contains the key itself.",
                      .body = body_schema,
                      .answer = minted_schema,
                      .status = 201,
                      .refusals = {400, 409}}),
      dashboard_route("DELETE", "/api/api-keys/{id}", Guard::kSession, "Revoke an API key", revoke,
                      Description{.name = "deleteApiKey",
                                  .about = "The key stops working at once, and never works again.",
                                  .path = path_schema,
                                  .answer = revoked_schema,
                                  .refusals = {404}}),
      dashboard_route("GET", "/api/scopes", Guard::kSession, "List the scopes", scopes,
                      Description{.name = "listScopes",
                                  .about = "The scopes that a key can have.",
                                  .answer = row_schema<std::vector<std::string>>}),
  };
}

}  // namespace tilth
