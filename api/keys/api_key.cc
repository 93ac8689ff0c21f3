#include "api/keys/api_key.h"

#include <set>
#include <utility>

#include "api/http/address.h"
#include "api/routing/read_request.h"
#include "api/routing/scope.h"
#include "events/json/json_writer.h"
#include "events/json/schema.h"

namespace tilth {
namespace {

constexpr std::size_t kLargestMetadata = 8 << 10;

void check(const KeyDetails& details, Issues& issues) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < details.scopes.size(); ++i) {
    auto& problems = issues["scopes." + std::to_string(i)];
    if (!problems.empty()) continue;
    const auto& scope = details.scopes[i];
    if (!find_scope(scope)) {
      problems.emplace_back("must be a scope that there is");
    } else if (!seen.insert(scope).second) {
      problems.emplace_back("must not be given twice");
    }
  }
  if (details.metadata.json.size() > kLargestMetadata) {
    issues["metadata"].emplace_back("must have at most 8192 bytes");
  }
  if (details.allowed_ips) {
    const auto& networks = *details.allowed_ips;
    for (std::size_t i = 0; i < networks.size(); ++i) {
      auto& problems = issues["allowedIps." + std::to_string(i)];
      if (problems.empty() && !Network::parse(networks[i])) {
        problems.push_back("must be " + std::string(Network::kExpected));
      }
    }
  }
  std::erase_if(issues, [](const auto& issue) { return issue.second.empty(); });
}

std::string preview(const std::string& key) {
  return key.substr(0, 12) + "..." + key.substr(key.size() - 4);
}

}  // namespace

KeyDetails read_key_details(std::string_view body, Timestamp now, Issues& issues) {
  KeyDetails details;
  read_body(body, details, issues);
  if (!issues.contains("body")) check(details, issues);
  if (details.expires_at && *details.expires_at <= now && !issues.contains("expiresAt")) {
    issues["expiresAt"].emplace_back("must be in the future");
  }
  return details;
}

NewKey new_key(std::string user_id, KeyDetails details, const IdSource& ids,
               const KeyDigest& digest) {
  auto key = "svc_" + std::string(name_of(details.environment)) + "_" + ids.hex(24);
  MintKey command{ids.nanoid(ApiKey::kIdPrefix), std::move(user_id), std::move(details),
                  preview(key), digest.of(key)};
  return {std::move(key), std::move(command)};
}

Json key_schema(bool with_key) {
  auto schema = answer_schema<ApiKey>();
  add_property(schema, "isActive", simple_schema("boolean"));
  add_property(schema, "usageCount", simple_schema("integer"));
  add_property(schema, "lastUsedAt", answer_schema<std::optional<Timestamp>>());
  if (!with_key) return schema;
  add_property(schema, "key", simple_schema("string"));
  return renamed(schema, "NewApiKey");
}

std::string scopes_json() {
  const std::vector<std::string> names(kScopeNames.begin(), kScopeNames.end());
  return "{\"data\":" + JsonWriter::text(names) + "}";
}

std::string shown_key(const ApiKey& row, const RateLimiter& limiter, const std::string& key) {
  auto json = render_json(row);
  json.pop_back();
  const auto use = limiter.use_of(row.user_id, row.key_id);
  json.append(",\"isActive\":").append(row.revoked_at ? "false" : "true");
  json.append(",\"usageCount\":").append(std::to_string(use.count)).append(",\"lastUsedAt\":");
  JsonWriter::write(use.last, json);
  if (!key.empty()) {
    json.append(",\"key\":");
    JsonWriter::write(key, json);
  }
  return json + "}";
}

}  // namespace tilth
