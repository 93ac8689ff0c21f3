#include "api/routing/resource_route.h"

#include <algorithm>

namespace tilth {
namespace {

constexpr std::size_t kUsualHeaders = 8;  // including those of every response

}  // namespace

Json data_schema(Json data) { return object_schema({{"data", std::move(data)}}); }

Json page_schema(Json data) {
  Json pagination = Json::object();
  pagination.add("$ref", Json::string("#/components/schemas/Pagination"));
  return object_schema({{"data", std::move(data)}, {"pagination", std::move(pagination)}});
}

Route explained(Route route, std::string_view about) {
  auto& its = route.description.value().about;
  its.insert(0, std::string(about) + (its.empty() ? "" : " "));
  return route;
}

std::vector<Route> as_aliases(std::vector<Route> routes) {
  for (auto& route : routes) {
    auto& its = route.description.value();
    its.alias_of = std::exchange(its.name, its.name + "Alias");
    its.about = "The same as `" + its.alias_of + "`, under another path.";
  }
  return routes;
}

std::string list_name(std::string_view type_name) {
  std::string name = "list" + std::string(type_name);
  const bool ends_in_y = name.ends_with('y');
  if (ends_in_y) name.pop_back();
  return name + (ends_in_y ? "ies" : "s");
}

bool takes_geometry(const Json& schema) {
  return std::any_of(schema.children.begin(), schema.children.end(), [](const auto& child) {
    return child.first == "coordinates" || takes_geometry(child.second);
  });
}

HttpResponse json_response(int status, std::string body) {
  HttpResponse response{status, {}, std::move(body)};
  response.headers.reserve(kUsualHeaders);
  response.headers.emplace_back("Content-Type", "application/json");
  return response;
}

HttpResponse row_response(int status, std::string_view shown, std::string_view tag) {
  constexpr std::string_view kBefore = "{\"data\":", kAfter = "}";
  std::string body;
  body.reserve(kBefore.size() + shown.size() + kAfter.size());
  body.append(kBefore).append(shown).append(kAfter);
  auto response = json_response(status, std::move(body));
  response.headers.emplace_back("ETag", tag);
  return response;
}

ListBody::ListBody(std::size_t usual_bytes) {
  body_.reserve(usual_bytes);
  body_.append("{\"data\":[");
}

void ListBody::add(std::string_view row_json) {
  if (!std::exchange(first_, false)) body_.push_back(',');
  body_.append(row_json);
}

std::string ListBody::end(std::uint64_t total, std::uint64_t page, std::uint64_t limit) {
  const auto pages = (total + limit - 1) / limit;
  body_.append("],\"pagination\":{\"page\":").append(std::to_string(page));
  body_.append(",\"limit\":").append(std::to_string(limit));
  body_.append(",\"total\":").append(std::to_string(total));
  body_.append(",\"totalPages\":").append(std::to_string(pages)).append("}}");
  return take_piece();
}

}  // namespace tilth
