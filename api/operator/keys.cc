// API keys, as operators mint, list and revoke them.

#include <set>

#include "api/operator/commands.h"
#include "command/user.h"

namespace tilth {
namespace {

constexpr std::size_t kLargestMetadata = 8 << 10;
constexpr std::size_t kMostNetworks = 100;

void check(const KeyDetails& details, Issues& issues) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < details.scopes.size(); ++i) {
    auto& faults = issues["scopes." + std::to_string(i)];
    if (!faults.empty()) continue;
    const auto& scope = details.scopes[i];
    if (!find_scope(scope)) {
      faults.emplace_back("must be a scope that there is");
    } else if (!seen.insert(scope).second) {
      faults.emplace_back("must not be given twice");
    }
  }
  if (details.scopes.empty() && issues["scopes"].empty()) {
    issues["scopes"].emplace_back("must have at least one");
  }
  if (details.metadata.json.size() > kLargestMetadata) {
    issues["metadata"].emplace_back("must have at most 8192 bytes");
  }
  if (details.allowed_ips) {
    const auto& networks = *details.allowed_ips;
    if (networks.empty() || networks.size() > kMostNetworks) {
      issues["allowedIps"].emplace_back("must have 1 to 100 items");
    }
    for (std::size_t i = 0; i < networks.size(); ++i) {
      auto& faults = issues["allowedIps." + std::to_string(i)];
      if (faults.empty() && !Network::parse(networks[i])) {
        faults.push_back("must be " + std::string(Network::kExpected));
      }
    }
  }
  std::erase_if(issues, [](const auto& issue) { return issue.second.empty(); });
}

// The contract's record of a key, and `key` once, when it is minted.
std::string shown_key(const OperatorParts& parts, const ApiKey& key, const std::string& secret) {
  auto json = shown_json(key);
  json.pop_back();
  const auto use = parts.limiter.use_of(key.user_id, key.key_id);
  json.append(",\"isActive\":").append(key.revoked_at ? "false" : "true");
  json.append(",\"usageCount\":").append(std::to_string(use.count)).append(",\"lastUsedAt\":");
  JsonWriter::write(use.last, json);
  if (!secret.empty()) {
    json.append(",\"key\":");
    JsonWriter::write(secret, json);
  }
  return json + "}";
}

std::string preview(const std::string& key) {
  return key.substr(0, 12) + "..." + key.substr(key.size() - 4);
}

void mint(const OperatorParts& parts, OperatorCall call) {
  KeyDetails details;
  Issues issues;
  read_body(call.exchange->request().body, details, issues);
  if (!issues.contains("body")) check(details, issues);
  if (!issues.empty()) return call.exchange->answer(invalid(issues));
  const auto key = "svc_" + std::string(name_of(details.environment)) + "_" + parts.ids.hex(24);
  MintKey command{parts.ids.nanoid(ApiKey::kIdPrefix), call.id("id"), details, preview(key),
                  parts.digest.of(key)};
  carry_out(access_stream(parts), std::move(call), deciding(command), {},
            [&parts, key](const Outcome& outcome) {
              const auto row = RowCodec<ApiKey>::decode(outcome.row.value().bytes);
              return answer_json(201, "{\"data\":" + shown_key(parts, row, key) + "}");
            });
}

void list(const OperatorParts& parts, const OperatorCall& call) {
  Faults faults;
  QueryReader query(call.query, faults);
  const auto page = read_page(query, ApiKey::kSorts, faults);
  if (const auto verdict = faults.verdict(); !verdict) {
    return call.exchange->answer(verdict.error());
  }
  answer_from(access_stream(parts), call, [&](const Rows& rows) -> Result<HttpResponse> {
    const auto user = find_user(rows, call.id("id"));
    if (!user) return Error{ErrorCode::kNotFound, "There is no such user."};
    const auto keys = list_page<ApiKey>(rows, user->id.uuid, {}, page);
    std::vector<std::string> shown;
    for (const auto& key : keys.rows) shown.push_back(shown_key(parts, key, {}));
    return answer_list(shown, keys.total, page.page, page.limit);
  });
}

void revoke(const OperatorParts& parts, OperatorCall call) {
  const RevokeKey command{call.id("id"), call.id("keyId")};
  carry_out(access_stream(parts), std::move(call), deciding(command), {},
            [](const Outcome&) { return HttpResponse{204}; });
}

}  // namespace

std::vector<OperatorRoute> operator_key_routes() {
  constexpr std::string_view kMany = "/operator/v1/users/{id}/api-keys";
  return {
      {"POST", kMany, "Mint an API key", false, mint},
      {"GET", kMany, "List a user's API keys", false, list},
      {"DELETE", "/operator/v1/users/{id}/api-keys/{keyId}", "Revoke an API key", false, revoke},
  };
}

}  // namespace tilth
