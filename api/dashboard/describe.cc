// The dashboard's operations, for the API's description.

#include "api/dashboard/dashboard.h"

namespace tilth {
namespace {

Security security_of(Caller caller) {
  switch (caller) {
    case Caller::kAnyone:
    case Caller::kStranger:
      return Security::kNone;
    case Caller::kSession:
      return Security::kSession;
    case Caller::kSessionOrKey:
      return Security::kSessionOrKey;
  }
  std::abort();
}

std::vector<int> refusals_of(const DashboardRoute& route) {
  auto all = route.words->refusals;
  all.insert(all.end(), {413, 503});
  if (route.caller != Caller::kAnyone) all.insert(all.end(), {401, 429});
  if (route.method == "POST") all.push_back(415);
  if (route.method != "GET" || route.caller == Caller::kSessionOrKey) all.push_back(403);
  return all;
}

}  // namespace

std::vector<DescribedOperation> describe(const std::vector<DashboardRoute>& routes) {
  std::vector<DescribedOperation> all;
  for (const auto& route : routes) {
    if (!route.words) continue;
    all.push_back({.method = std::string(route.method),
                   .path = std::string(route.pattern),
                   .tag = "dashboard",
                   .summary = std::string(route.summary),
                   .security = security_of(route.caller),
                   .scope = std::string(route.scope ? scope_name(*route.scope) : ""),
                   .path_schema = route.words->path_schema,
                   .query_schema = route.words->query_schema,
                   .body_schema = route.words->body_schema,
                   .answer_schema = route.words->answer_schema,
                   .status = route.words->status,
                   .refusals = refusals_of(route)});
  }
  return all;
}

}  // namespace tilth
