// Reads [plans.NAME] tables: they change the shipped plans or add new ones.

#pragma once

#include <string_view>

#include "events/access/plan.h"
#include "events/values/result.h"
#include "infra/config/toml_file.h"

namespace tilth {

// Every name with this prefix is a member of a plan: "plans.summit.farms".
inline constexpr std::string_view kPlansPrefix = "plans.";

// Takes one such value. Members that a table does not set keep their shipped values.
//
//   kDamaged  it is not a member of a plan, or its value is invalid; the message says which.
Status take_plan_member(Plans& plans, std::string_view name, const FileValue& value);

// A plan that is not shipped must set requests_per_hour, farms and ai_requests_per_month;
// may_mint_keys defaults to false. A plan of the file that does not set bytes_per_hour gets the
// usual one for its requests_per_hour.
//
//   kDamaged  one is missing; the message says which.
Status complete_plans(Plans& plans, const FileValues& values);

// A limit as text: "1000", "unlimited".
std::string shown_limit(const std::optional<std::int64_t>& limit);

}  // namespace tilth
