#include "command/land/farm.h"

namespace tilth {
namespace {

Status name_is_free(const Rows& rows, const std::string& name, const FarmId& by) {
  const auto farm = rows.find_unique<Farm>({}, name);
  if (!farm || *farm == by) return kDone;
  return Error{ErrorCode::kConflict, "Another farm has this name."};
}

}  // namespace

Status RecordRules<Farm>::complete(const Rows& rows, const WholeStream&, FarmDetails<Own>& details,
                                   const FarmId& id, const Context& context) {
  const auto farms = static_cast<std::int64_t>(rows.count<Farm>({}));
  if (context.farm_limit && farms >= *context.farm_limit) {
    return Error{.code = ErrorCode::kPlanLimitExceeded,
                 .message = "The plan has no room for another farm.",
                 .facts = {{"limit", *context.farm_limit}, {"current", farms}}};
  }
  return name_is_free(rows, details.name, id);
}

Status RecordRules<Farm>::conflicts(const Rows& rows, const Farm& before,
                                    const FarmDetails<Patch>& changes) {
  return changes.name.to ? name_is_free(rows, *changes.name.to, before.id) : Status(kDone);
}

}  // namespace tilth
