#include "api/platform/requests_page.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/routing/read_request.h"
#include "events/json/json_writer.h"

namespace tilth {
namespace {

constexpr std::array<std::string_view, 1> kSorts{"time"};
constexpr std::array<std::string_view, 4> kClasses{"2xx", "3xx", "4xx", "5xx"};

// 2 of "2xx".
std::optional<int> read_class(const std::optional<std::string>& text, RequestIssues& problems) {
  if (!text) return std::nullopt;
  const auto found = std::find(kClasses.begin(), kClasses.end(), *text);
  if (found != kClasses.end()) return static_cast<int>(found - kClasses.begin()) + 2;
  problems.values["status"].emplace_back("must be one of 2xx, 3xx, 4xx, 5xx");
  return std::nullopt;
}

}  // namespace

Result<HttpResponse> requests_page(RequestLog& log, const std::string& owner, const Call& call) {
  RequestIssues problems;
  QueryReader query(call.query, problems);
  const auto page = read_page(query, kSorts, problems);
  RequestsQuery wanted;
  wanted.serialize(static_cast<MemberVisitor&>(query));
  const auto status_class = read_class(wanted.status, problems);
  if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
  auto found =
      log.find(owner, {wanted.key, status_class, wanted.path, wanted.request_id}, call.now);
  if (!found) return found.error();
  if (page.order == Order::kAscending) std::reverse(found->begin(), found->end());
  const auto first = std::min<std::uint64_t>((page.page - 1) * page.limit, found->size());
  const auto end = std::min<std::uint64_t>(first + page.limit, found->size());
  ListBody body;
  for (auto i = first; i < end; ++i) body.add(JsonWriter::text((*found)[i]));
  return json_response(200, body.end(found->size(), page.page, page.limit));
}

}  // namespace tilth
