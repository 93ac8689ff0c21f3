#include "command/block.h"

#include "projections/admin_crop.h"

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

// What a request does not say of how plants stand, the library does: of the block's variety, else
// of what its crop names. Spacings that were given have a density of their own.
void space_as_usual(const Rows& rows, BlockDetails<Own>& block) {
  const auto crop = rows.find(block.crop_id);
  const auto kind = find_kind(rows, crop->details.admin_crop_id,
                              block.variety_id ? block.variety_id : crop->details.variety_id);
  const bool none_given = !block.spacing_x && !block.spacing_y;
  const auto take = [&](std::optional<Decimal>& member, auto of_variety, auto of_crop) {
    const auto usual = kind.of(of_variety, of_crop);
    if (!member && usual) member = *usual;
  };
  using V = VarietyDetails<Own>;
  using C = AdminCropDetails<Own>;
  take(block.spacing_x, &V::spacing_x, &C::spacing_x);
  take(block.spacing_y, &V::spacing_y, &C::spacing_y);
  if (none_given) take(block.plant_density, &V::plant_density, &C::plant_density);
}

}  // namespace

Decision decide(const Rows& rows, const RegisterBlock& command, const Context& context) {
  const auto& [at, details] = command;
  if (!find(rows, at)) return kNoField;
  if (!grows_on(rows, details.crop_id, at.field_id)) return kNoCrop;
  if (details.variety_id && !find_variety(rows, *details.variety_id)) return kNoVariety;
  BlockRegistered event{{context.new_id}, at.farm_id, at.field_id, details, context.now};
  space_as_usual(rows, event.details);
  return event;
}

Decision decide(const Rows& rows, const AmendBlock& command, const Context& context) {
  const auto block = find(rows, command.at);
  if (!block) return kNoBlock;
  const auto& changes = command.changes;
  if (changes.crop_id.to && !grows_on(rows, *changes.crop_id.to, block->field_id)) return kNoCrop;
  const auto& variety = changes.variety_id.to;
  if (variety && *variety && !find_variety(rows, **variety)) return kNoVariety;
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
