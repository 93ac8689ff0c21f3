#include "api/operator/operator_roles.h"

#include <algorithm>
#include <array>

namespace tilth {
namespace {

struct Needed {
  std::string_view method;
  std::string_view pattern;  // below "/operator/v1/"
  OperatorRole role;
};

constexpr auto kRead = OperatorRole::kRead;
constexpr auto kOperate = OperatorRole::kOperate;
constexpr auto kAdminister = OperatorRole::kAdminister;

// Each route of the operator API that takes a token; a test compares the two. Reading changes
// nothing. Operating keeps the service and its reference data in order. Administering decides who
// may do what, and brings in whole histories with the accounts in them.
constexpr auto kNeeded = std::to_array<Needed>({
    {"GET", "me", kRead},
    {"GET", "status", kRead},
    {"GET", "nodes", kRead},
    {"GET", "addresses", kRead},
    {"GET", "trends", kRead},
    {"GET", "plans", kRead},
    {"GET", "scopes", kRead},
    {"GET", "events", kRead},
    {"GET", "clock", kRead},
    {"GET", "log/verify", kRead},
    {"GET", "log/archive", kRead},
    {"GET", "library", kRead},
    {"GET", "templates", kRead},
    {"GET", "templates/{id}", kRead},
    {"GET", "sessions", kRead},
    {"GET", "users", kRead},
    {"GET", "users/{id}", kRead},
    {"GET", "users/{id}/erasure", kRead},
    {"GET", "users/{id}/usage", kRead},
    {"GET", "users/{id}/requests", kRead},
    {"GET", "users/{id}/api-keys", kRead},
    {"GET", "operators", kRead},
    {"GET", "audit", kRead},

    {"POST", "backup", kOperate},
    {"POST", "log/verify", kOperate},
    {"POST", "nodes/{node}/drain", kOperate},
    {"POST", "log/archive", kOperate},
    {"POST", "projections/{name}/rebuild", kOperate},
    {"POST", "projections/{name}/switch", kOperate},
    {"POST", "projections/{name}/verify", kOperate},
    {"POST", "projections/{name}/pause", kOperate},
    {"POST", "projections/{name}/resume", kOperate},
    {"POST", "projections/{name}/release", kOperate},
    {"POST", "projections/{name}/skip", kOperate},
    {"DELETE", "sessions", kOperate},
    {"DELETE", "sessions/{id}", kOperate},
    {"POST", "clock", kOperate},
    {"POST", "library", kOperate},
    {"POST", "exchange-rates", kOperate},
    {"POST", "exchange-rates/fetch", kOperate},
    {"POST", "templates", kOperate},
    {"POST", "templates/import", kOperate},
    {"PUT", "templates/{id}", kOperate},
    {"DELETE", "templates/{id}", kOperate},
    {"POST", "users/{id}/ai-requests", kOperate},

    {"POST", "events", kAdminister},
    {"POST", "users", kAdminister},
    {"PUT", "users/{id}", kAdminister},
    {"POST", "users/{id}/disable", kAdminister},
    {"POST", "users/{id}/enable", kAdminister},
    {"POST", "users/{id}/erase", kAdminister},
    {"POST", "users/{id}/api-keys", kAdminister},
    {"DELETE", "users/{id}/api-keys/{keyId}", kAdminister},
    {"POST", "operators", kAdminister},
    {"PUT", "operators/{name}", kAdminister},
    {"POST", "operators/{name}/rotate", kAdminister},
    {"DELETE", "operators/{name}", kAdminister},
});

}  // namespace

std::optional<OperatorRole> find_role(std::string_view method, std::string_view pattern) {
  constexpr std::string_view kBelow = "/operator/v1/";
  if (!pattern.starts_with(kBelow)) return std::nullopt;
  pattern.remove_prefix(kBelow.size());
  const auto found = std::ranges::find_if(kNeeded, [&](const Needed& each) {
    return each.method == method && each.pattern == pattern;
  });
  return found == kNeeded.end() ? std::nullopt : std::optional(found->role);
}

std::size_t routes_with_role() { return kNeeded.size(); }

OperatorRole needed_role(const Route& route) {
  return find_role(route.method, route.pattern).value_or(OperatorRole::kAdminister);
}

}  // namespace tilth
