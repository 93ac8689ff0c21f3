#include "api/routing/route.h"

namespace tilth {
namespace {

constexpr std::size_t kUsualHeaders = 8;  // with those that every answer carries

}  // namespace

Json page_schema(Json data) {
  Json pagination = Json::object();
  pagination.add("$ref", Json::string("#/components/schemas/Pagination"));
  return object_schema({{"data", std::move(data)}, {"pagination", std::move(pagination)}});
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

HttpResponse list_response(const std::vector<std::string>& shown, std::uint64_t total,
                           std::uint64_t page, std::uint64_t limit) {
  std::size_t size = 128;
  for (const auto& row : shown) size += row.size() + 1;
  std::string body;
  body.reserve(size);
  body.append("{\"data\":[");
  for (const auto& row : shown) {
    if (body.back() != '[') body.push_back(',');
    body.append(row);
  }
  const auto pages = (total + limit - 1) / limit;
  body.append("],\"pagination\":{\"page\":").append(std::to_string(page));
  body.append(",\"limit\":").append(std::to_string(limit));
  body.append(",\"total\":").append(std::to_string(total));
  body.append(",\"totalPages\":").append(std::to_string(pages)).append("}}");
  return json_response(200, std::move(body));
}

}  // namespace tilth
