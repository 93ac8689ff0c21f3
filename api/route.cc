#include "api/route.h"

namespace tilth {
namespace {

constexpr std::size_t kUsualHeaders = 8;  // with those that every answer carries

}  // namespace

std::string list_answer_schema(const std::string& data_schema) {
  return R"({"type":"object","required":["data","pagination"],"properties":{"data":)" +
         data_schema + R"(,"pagination":{"$ref":"#/components/schemas/Pagination"}}})";
}

HttpResponse answer_json(int status, std::string body) {
  HttpResponse response{status, {}, std::move(body)};
  response.headers.reserve(kUsualHeaders);
  response.headers.emplace_back("Content-Type", "application/json");
  return response;
}

HttpResponse answer_row(int status, std::string_view shown, std::string_view tag) {
  constexpr std::string_view kBefore = "{\"data\":", kAfter = "}";
  std::string body;
  body.reserve(kBefore.size() + shown.size() + kAfter.size());
  body.append(kBefore).append(shown).append(kAfter);
  auto response = answer_json(status, std::move(body));
  response.headers.emplace_back("ETag", tag);
  return response;
}

HttpResponse answer_list(const std::vector<std::string>& shown, std::uint64_t total,
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
  return answer_json(200, std::move(body));
}

}  // namespace tilth
