#include "command/plant.h"

namespace tilth {
namespace {

const Error kNoBlock{ErrorCode::kNotFound, "There is no such block."};
const Error kNoPlant{ErrorCode::kNotFound, "There is no such plant."};
const Error kTagTaken{ErrorCode::kConflict, "Another plant in the block has this tagId."};

bool tag_is_taken(const Rows& rows, const BlockId& block, const std::optional<std::string>& tag,
                  const PlantId& by) {
  const auto wearer = tag ? rows.find_unique<Plant>(block.uuid, *tag) : std::nullopt;
  return wearer && *wearer != by;
}

}  // namespace

Decision decide(const Rows& rows, const RegisterPlant& command, const Context& context) {
  const auto& at = command.at;
  if (!find(rows, at)) return kNoBlock;
  const PlantId id{context.new_id};
  if (tag_is_taken(rows, at.block_id, command.details.tag_id, id)) return kTagTaken;
  return PlantRegistered{id, at.farm_id, at.field_id, at.block_id, command.details, context.now};
}

Decision decide(const Rows& rows, const AmendPlant& command, const Context& context) {
  const auto plant = find(rows, command.at);
  if (!plant) return kNoPlant;
  if (const auto held = context.permits(*plant); !held) return held.error();
  if (!carries_any(command.changes)) return std::nullopt;
  const auto& tag = command.changes.tag_id.to;
  if (tag && tag_is_taken(rows, plant->block_id, *tag, plant->id)) return kTagTaken;
  return PlantAmended{plant->id, command.changes, context.now};
}

Decision decide(const Rows& rows, const RemovePlant& command, const Context& context) {
  const auto plant = find(rows, command.at);
  if (!plant) return kNoPlant;
  if (const auto held = context.permits(*plant); !held) return held.error();
  return PlantRemoved{plant->id, context.now};
}

}  // namespace tilth
