#include "infra/config/plans.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>

namespace tilth {
namespace {

constexpr std::int64_t kMost = 1'000'000'000, kMostBytes = 1'000'000'000'000;
constexpr std::array<std::string_view, 3> kRequired = {"requests_per_hour", "farms",
                                                       "ai_requests_per_month"};

Error refused(std::string_view name, std::string_view what) {
  return {ErrorCode::kDamaged, std::string(name) + " " + std::string(what) + "."};
}

struct PlanMember {
  std::string_view plan;
  std::string_view member;
};
PlanMember split(std::string_view name) {
  name.remove_prefix(kPlansPrefix.size());
  const auto dot = name.rfind('.');
  if (dot == name.npos) return {name, {}};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

bool is_plan_name(std::string_view name) {
  return !name.empty() && name.size() <= 50 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

std::optional<std::int64_t> count(const FileValue& value, std::int64_t least,
                                  std::int64_t most = kMost) {
  if (value.type != FileValue::Type::kInteger) return std::nullopt;
  std::int64_t number = -1;
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
  return number >= least && number <= most ? std::optional(number) : std::nullopt;
}

Status take_limit(std::optional<std::int64_t>& limit, std::string_view name, const FileValue& value,
                  std::int64_t least = 0, std::int64_t most = kMost) {
  if (value.type == FileValue::Type::kText && value.text == "unlimited") {
    limit = std::nullopt;
    return kDone;
  }
  limit = count(value, least, most);
  if (limit) return kDone;
  return refused(name, "must be an integer from " + std::to_string(least) + " to " +
                           std::to_string(most) + " or \"unlimited\"");
}

}  // namespace

Status take_plan_member(Plans& plans, std::string_view name, const FileValue& value) {
  const auto [plan_name, member] = split(name);
  if (member.empty() && value.text == "{}") return kDone;  // complete_plans() says if it matters
  if (!is_plan_name(plan_name)) {
    return refused(name, "must name a plan with 1 to 50 characters of a-z, 0-9, _ and -");
  }
  if (member.empty()) return refused(name, "must be a table, the settings of a plan");
  auto& plan = plans[std::string(plan_name)];
  if (member == "farms") return take_limit(plan.farms, name, value);
  if (member == "ai_requests_per_month") return take_limit(plan.ai_requests_per_month, name, value);
  if (member == "bytes_per_hour") {
    return take_limit(plan.bytes_per_hour, name, value, 1, kMostBytes);
  }
  if (member == "requests_per_hour") {
    const auto requests = count(value, 1);
    if (!requests) return refused(name, "must be an integer from 1 to 1000000000");
    plan.requests_per_hour = *requests;
    return kDone;
  }
  if (member == "may_mint_keys") {
    if (value.type != FileValue::Type::kSwitch) return refused(name, "must be true or false");
    plan.may_mint_keys = value.text == "true";
    return kDone;
  }
  return refused(name, "is not a setting of a plan");
}

Status complete_plans(Plans& plans, const FileValues& values) {
  const auto shipped = shipped_plans();
  for (auto at = values.lower_bound(kPlansPrefix);
       at != values.end() && at->first.starts_with(kPlansPrefix); ++at) {
    const std::string plan(split(at->first).plan);
    const auto table = std::string(kPlansPrefix) + plan;
    const auto its = plans.find(plan);
    if (its != plans.end() && !values.contains(table + ".bytes_per_hour")) {
      its->second.bytes_per_hour = usual_bytes_per_hour(its->second);
    }
    if (shipped.contains(plan)) continue;
    for (const auto member : kRequired) {
      if (!values.contains(table + "." + std::string(member))) {
        return refused(table, "is a new plan and lacks " + std::string(member));
      }
    }
  }
  return kDone;
}

std::string shown_limit(const std::optional<std::int64_t>& limit) {
  return limit ? std::to_string(*limit) : "unlimited";
}

}  // namespace tilth
