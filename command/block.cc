#include "command/block.h"

namespace tilth {
namespace {

const Error kNoField{ErrorCode::kNotFound, "There is no such field."};
const Error kNoBlock{ErrorCode::kNotFound, "There is no such block."};
const Error kNoCrop{ErrorCode::kNotFound, "There is no such crop on this field."};
const Error kNoVariety{ErrorCode::kNotFound, "There is no such variety."};

bool grows_on(const Rows& rows, const CropId& id, const FieldId& field) {
  const auto crop = rows.find(id);
  return crop && crop->field_id == field;
}

}  // namespace

Decision decide(const Rows& rows, const RegisterBlock& command, const Context& context) {
  const auto& [at, details] = command;
  if (!find(rows, at)) return kNoField;
  if (!grows_on(rows, details.crop_id, at.field_id)) return kNoCrop;
  if (details.variety_id) return kNoVariety;  // until there is a crop library
  return BlockRegistered{{context.new_id}, at.farm_id, at.field_id, details, context.now};
}

Decision decide(const Rows& rows, const AmendBlock& command, const Context& context) {
  const auto block = find(rows, command.at);
  if (!block) return kNoBlock;
  const auto& changes = command.changes;
  if (changes.crop_id.to && !grows_on(rows, *changes.crop_id.to, block->field_id)) return kNoCrop;
  if (changes.variety_id.to && *changes.variety_id.to) return kNoVariety;
  if (const auto held = context.permits(*block); !held) return held.error();
  if (!carries_any(changes)) return std::nullopt;
  return BlockAmended{block->id, changes, context.now};
}

Decision decide(const Rows& rows, const RemoveBlock& command, const Context& context) {
  const auto block = find(rows, command.at);
  if (!block) return kNoBlock;
  if (const auto held = context.permits(*block); !held) return held.error();
  return BlockRemoved{block->id, context.now};
}

}  // namespace tilth
