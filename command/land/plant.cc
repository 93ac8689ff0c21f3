#include "command/land/plant.h"

namespace tilth {
namespace {

Status tag_is_free(const Rows& rows, const BlockId& block, const std::optional<std::string>& tag,
                   const PlantId& by) {
  const auto plant = tag ? rows.find_unique<Plant>(block.uuid, *tag) : std::nullopt;
  if (!plant || *plant == by) return kDone;
  return Error{ErrorCode::kConflict, "Another plant in the block has this tagId."};
}

}  // namespace

Status RecordRules<Plant>::complete(const Rows& rows, const BlockPath& at,
                                    PlantDetails<Own>& details, const PlantId& id, const Context&) {
  return tag_is_free(rows, at.block_id, details.tag_id, id);
}

Status RecordRules<Plant>::conflicts(const Rows& rows, const Plant& before,
                                     const PlantDetails<Patch>& changes) {
  const auto& tag = changes.tag_id.to;
  return tag ? tag_is_free(rows, before.block_id, *tag, before.id) : Status(kDone);
}

}  // namespace tilth
