#include "api/routing/read_request.h"

#include <algorithm>
#include <optional>

namespace tilth {
namespace {

constexpr std::int64_t kLastPage = 2'147'483'647;
constexpr std::uint64_t kLargestLimit = 100;

// A whole number in text; a value out of range becomes the nearest limit.
std::optional<std::int64_t> read_count(const std::string& text) {
  const auto written = WrittenNumber::parse(text);
  if (!written || written->exponent < 0) return std::nullopt;
  if (const auto whole = read_whole(text)) return whole;
  return written->negative ? std::numeric_limits<std::int64_t>::min()
                           : std::numeric_limits<std::int64_t>::max();
}

// A time whose offset was sent without percent-encoding, 12:00+01:00, has a blank for the plus.
std::string with_plus(std::string time) {
  constexpr std::size_t kDate = 10, kShortestTime = 17, kOffset = 6;
  if (time.size() <= kShortestTime || (time[kDate] != 'T' && time[kDate] != 't')) return time;
  auto& sign = time[time.size() - kOffset];
  if (sign == ' ') sign = '+';
  return time;
}

// Reads a value from a URL, where every value is text. False if it is invalid.
bool read_parameter(const std::string& text, std::string_view name, const TypeForm& form,
                    void* value, Issues& issues) {
  const bool boolean = form.kind == TypeForm::Kind::kBoolean && (text == "true" || text == "false");
  const bool time = form.format == "date" || form.format == "date-time";
  const auto json =
      boolean ? Json::boolean(text == "true") : Json::string(time ? with_plus(text) : text);
  std::vector<std::string> messages;
  const bool read = form.read(json, Reading::kRequest, {}, value, messages);
  if (!read) issues[std::string(name)].push_back("must be " + form.expected());
  return read;
}

}  // namespace

void PathReader::visit(std::string_view name, const Rules&, const TypeForm& form, void* value) {
  for (const auto& [given, text] : path_) {
    if (given == name) read_parameter(std::string(text), name, form, value, issues_);
  }
}

void QueryReader::visit(std::string_view name, const Rules& rules, const TypeForm& form,
                        void* value) {
  const auto* text = find(name);
  if (text == nullptr) {
    const bool twice = problems_.values.contains(std::string(name));
    if (rules.required && !twice) problems_.values[std::string(name)].emplace_back("is required");
    return;
  }
  const auto& inner = *form.inner;  // parameters are optional
  auto& issues = inner.is_id ? problems_.ids : problems_.values;
  if (!read_parameter(*text, name, inner, form.emplace(value), issues)) form.clear(value);
}

const std::string* QueryReader::find(std::string_view name) {
  const std::string* found = nullptr;
  for (const auto& [key, value] : query_) {
    if (key != name) continue;
    if (found != nullptr) {
      problems_.values[std::string(name)] = {"must be given once"};
      return nullptr;
    }
    found = &value;
  }
  return found;
}

std::optional<std::uint64_t> read_limit(QueryReader& query, RequestIssues& problems,
                                        std::uint64_t most) {
  const auto* text = query.find("limit");
  if (text == nullptr) return std::nullopt;
  const auto number = read_count(*text);
  if (number && *number >= 1) return std::min(static_cast<std::uint64_t>(*number), most);
  problems.values["limit"].emplace_back("must be a whole number of at least 1");
  return std::nullopt;
}

PageRequest read_page(QueryReader& query, std::span<const std::string_view> sorts,
                      RequestIssues& problems, PageRequest page) {
  if (const auto* text = query.find("page")) {
    const auto number = read_count(*text);
    if (!number || *number < 0 || *number > kLastPage) {
      problems.values["page"].emplace_back("must be a whole number from 0 to 2147483647");
    } else {
      page.page = static_cast<std::uint64_t>(std::max<std::int64_t>(*number, 1));
    }
  }
  page.limit = read_limit(query, problems, kLargestLimit).value_or(page.limit);
  if (const auto* text = query.find("sort")) {
    const auto found = std::find(sorts.begin(), sorts.end(), *text);
    if (found == sorts.end()) {
      std::string names;
      for (const auto sort : sorts) names.append(names.empty() ? "" : ", ").append(sort);
      problems.values["sort"].push_back("must be one of " + names);
    } else {
      page.sort = static_cast<std::size_t>(found - sorts.begin());
    }
  }
  if (const auto* text = query.find("order")) {
    if (*text != "asc" && *text != "desc") {
      problems.values["order"].emplace_back("must be one of asc, desc");
    }
    page.order = *text == "asc" ? Order::kAscending : Order::kDescending;
  }
  return page;
}

}  // namespace tilth
