// A user's plan: how many requests they may send and how many farms they may keep.

#pragma once

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
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Plans by name.
using Plans = std::map<std::string, Plan, std::less<>>;

// The default plans, unless the configuration says otherwise.
inline Plans shipped_plans() {
  return {{"expired", {3, 1, 50, false}},    {"seed", {25, 1, 50, false}},
          {"sprout", {50, 3, 200, false}},   {"trial", {100, 7, 500, false}},
          {"harvest", {100, 7, 500, false}}, {"grove", {200, 15, 1'000, false}},
          {"summit", {1'000, {}, {}, true}}};
}

}  // namespace tilth
