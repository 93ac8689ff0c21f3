#include "command/farm.h"

namespace tilth {
namespace {

const Error kNoFarm{ErrorCode::kNotFound, "There is no such farm."};
const Error kNameTaken{ErrorCode::kConflict, "Another farm has this name."};

bool name_is_taken(const Rows& rows, const std::string& name, const FarmId& by) {
  const auto farm = rows.find_unique<Farm>({}, name);
  return farm && *farm != by;
}

}  // namespace

Decision decide(const Rows& rows, const RegisterFarm& command, const Context& context) {
  const auto farms = static_cast<std::int64_t>(rows.count<Farm>({}));
  if (context.farm_limit && farms >= *context.farm_limit) {
    return Error{.code = ErrorCode::kPlanLimitExceeded,
                 .message = "The plan has no room for another farm.",
                 .facts = {{"limit", *context.farm_limit}, {"current", farms}}};
  }
  const FarmId id{context.new_id};
  if (name_is_taken(rows, command.details.name, id)) return kNameTaken;
  return FarmRegistered{id, command.details, context.now};
}

Decision decide(const Rows& rows, const AmendFarm& command, const Context& context) {
  const auto farm = find(rows, command.at);
  if (!farm) return kNoFarm;
  if (const auto held = context.permits(*farm); !held) return held.error();
  if (!carries_any(command.changes)) return std::nullopt;
  const auto& name = command.changes.name.to;
  if (name && name_is_taken(rows, *name, farm->id)) return kNameTaken;
  return FarmAmended{farm->id, command.changes, context.now};
}

Decision decide(const Rows& rows, const RemoveFarm& command, const Context& context) {
  const auto farm = find(rows, command.at);
  if (!farm) return kNoFarm;
  if (const auto held = context.permits(*farm); !held) return held.error();
  return FarmRemoved{farm->id, context.now};
}

}  // namespace tilth
