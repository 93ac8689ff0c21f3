#include "api/read_request.h"

#include <algorithm>
#include <optional>

namespace tilth {
namespace {

constexpr std::int64_t kLastPage = 2'147'483'647;
constexpr std::uint64_t kLargestLimit = 100;

// A whole number in text; what is too large to count is the largest.
std::optional<std::int64_t> read_count(const std::string& text) {
  const auto written = WrittenNumber::parse(text);
  if (!written || written->exponent < 0) return std::nullopt;
  if (const auto whole = read_whole(text)) return whole;
  return written->negative ? std::numeric_limits<std::int64_t>::min()
                           : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

Json text_json(const std::string& text) { return {Json::Kind::kString, text, {}}; }

const std::string* QueryReader::find(std::string_view name) {
  const std::string* found = nullptr;
  for (const auto& [key, value] : query_) {
    if (key != name) continue;
    if (found != nullptr) {
      faults_.values[std::string(name)] = {"must be given once"};
      return nullptr;
    }
    found = &value;
  }
  return found;
}

std::optional<std::uint64_t> read_limit(QueryReader& query, Faults& faults, std::uint64_t most) {
  const auto* text = query.find("limit");
  if (text == nullptr) return std::nullopt;
  const auto number = read_count(*text);
  if (number && *number >= 1) return std::min(static_cast<std::uint64_t>(*number), most);
  faults.values["limit"].emplace_back("must be a whole number of at least 1");
  return std::nullopt;
}

PageRequest read_page(QueryReader& query, std::span<const std::string_view> sorts, Faults& faults,
                      PageRequest page) {
  if (const auto* text = query.find("page")) {
    const auto number = read_count(*text);
    if (!number || *number < 0 || *number > kLastPage) {
      faults.values["page"].emplace_back("must be a whole number from 0 to 2147483647");
    } else {
      page.page = static_cast<std::uint64_t>(std::max<std::int64_t>(*number, 1));
    }
  }
  page.limit = read_limit(query, faults, kLargestLimit).value_or(page.limit);
  if (const auto* text = query.find("sort")) {
    const auto found = std::find(sorts.begin(), sorts.end(), *text);
    if (found == sorts.end()) {
      std::string names;
      for (const auto sort : sorts) names.append(names.empty() ? "" : ", ").append(sort);
      faults.values["sort"].push_back("must be one of " + names);
    } else {
      page.sort = static_cast<std::size_t>(found - sorts.begin());
    }
  }
  if (const auto* text = query.find("order")) {
    if (*text != "asc" && *text != "desc") {
      faults.values["order"].emplace_back("must be one of asc, desc");
    }
    page.order = *text == "asc" ? Order::kAscending : Order::kDescending;
  }
  return page;
}

}  // namespace tilth
