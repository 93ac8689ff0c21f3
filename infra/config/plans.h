// Reads [plans.NAME] tables: they change the plans that are shipped, or add others.

#pragma once

#include <string_view>

#include "events/access/plan.h"
#include "events/values/result.h"
#include "infra/config/toml_file.h"

namespace tilth {

// "plans.summit.farms" is a plan's member, whatever follows.
inline constexpr std::string_view kPlansPrefix = "plans.";

// Takes one such value. What a table does not name stays as it is shipped.
//
//   kDamaged  it is no member of a plan, or its value is none; the message says which.
Status take_plan_member(Plans& plans, std::string_view name, const FileValue& value);

// A plan that is not shipped must say its requests_per_hour, farms and ai_requests_per_month;
// may_mint_keys is false unless said.
//
//   kDamaged  one does not; the message says what is missing.
Status check_new_plans(const FileValues& values);

// What a member is: "1000", "unlimited", "true".
std::string shown_limit(const std::optional<std::int64_t>& limit);

}  // namespace tilth
