// The operations of /api/v1, as their routes have them.

#include "api/openapi/openapi.h"

namespace tilth {
namespace {

std::optional<Json> made(Json (*schema)()) {
  return schema == nullptr ? std::nullopt : std::optional(schema());
}

std::vector<int> refusals_of(const Route& route) {
  const bool mutates = route.method != "GET";
  const bool of_one = route.pattern.find('{') != route.pattern.npos;
  std::vector<int> all = {400, 401, 403, 413, 429, 503};
  if (of_one || mutates) all.push_back(404);
  if (mutates) all.push_back(409);
  if (route.method == "PUT" || route.method == "DELETE") all.push_back(412);
  if (route.method == "POST" || route.method == "PUT") all.push_back(415);
  return all;
}

std::optional<Json> body_of_answer(const Route& route) {
  if (route.data_schema == nullptr) return {};
  if (route.of_lines) return route.data_schema();
  if (route.query_schema != nullptr && route.paged) return page_schema(route.data_schema());
  auto body = object_schema({{"data", route.data_schema()}});
  if (route.meta_schema != nullptr) add_property(body, "meta", route.meta_schema(), true);
  return body;
}

}  // namespace

std::vector<DescribedOperation> describe(const std::vector<Route>& routes) {
  std::vector<DescribedOperation> all;
  for (const auto& route : routes) {
    const std::string scope(scope_name(route.scope));
    all.push_back({.method = std::string(route.method),
                   .path = "/api/v1" + std::string(route.pattern),
                   .tag = scope.substr(0, scope.find(':')),
                   .summary = std::string(route.summary),
                   .scope = scope,
                   .path_schema = made(route.path_schema),
                   .query_schema = made(route.query_schema),
                   .body_schema = made(route.body_schema),
                   .answer_schema = body_of_answer(route),
                   .of_lines = route.of_lines,
                   .paged = route.paged,
                   .of_the_past = route.method == "GET" && route.of_the_past,
                   .status = route.status,
                   .refusals = refusals_of(route)});
  }
  return all;
}

}  // namespace tilth
