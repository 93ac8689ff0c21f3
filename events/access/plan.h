// A user's plan: how many requests they may send, how many farms they may keep, and how much their
// changes may add to the history.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tilth {

// An absent number means no limit.
struct Plan {
  std::int64_t requests_per_hour = 0;
  std::optional<std::int64_t> farms = {};
  std::optional<std::int64_t> ai_requests_per_month = {};
  bool may_mint_keys = false;  // in the dashboard; an operator may mint for anyone
  std::optional<std::int64_t> bytes_per_hour = {};  // of events
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Plans by name.
using Plans = std::map<std::string, Plan, std::less<>>;

// Half of what its requests could add if each had the longest body, but not less than 64 MB.
inline std::int64_t usual_bytes_per_hour(const Plan& plan) {
  return std::max<std::int64_t>(64'000'000, plan.requests_per_hour * 512'000);
}

// The default plans, unless the configuration says otherwise.
inline Plans shipped_plans() {
  Plans plans{{"expired", {3, 1, 50, false}},    {"seed", {25, 1, 50, false}},
              {"sprout", {50, 3, 200, false}},   {"trial", {100, 7, 500, false}},
              {"harvest", {100, 7, 500, false}}, {"grove", {200, 15, 1'000, false}},
              {"summit", {1'000, {}, {}, true}}};
  for (auto& [name, plan] : plans) plan.bytes_per_hour = usual_bytes_per_hour(plan);
  return plans;
}

}  // namespace tilth
