#include "command/land/block.h"

#include "projections/library/admin_crop.h"

namespace tilth {
namespace {

const Error kNoCrop{ErrorCode::kNotFound, "There is no such crop on this field."};
const Error kNoVariety{ErrorCode::kNotFound, "There is no such variety."};

bool grows_on(const Rows& rows, const CropId& id, const FieldId& field) {
  const auto crop = rows.find(id);
  return crop && crop->field_id == field;
}

// Fills in spacing that a request omits from the library: from the block's variety, else from its
// crop's entries. Spacings that were given imply a density of their own.
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

Status RecordRules<Block>::complete(const Rows& rows, const FieldPath& at,
                                    BlockDetails<Own>& details, const BlockId&, const Context&) {
  if (!grows_on(rows, details.crop_id, at.field_id)) return kNoCrop;
  if (details.variety_id && !find_variety(rows, *details.variety_id)) return kNoVariety;
  space_as_usual(rows, details);
  return kDone;
}

Status RecordRules<Block>::references(const Rows& rows, const Block& before,
                                      const BlockDetails<Patch>& changes) {
  const auto& crop = changes.crop_id.to;
  if (crop && !grows_on(rows, *crop, before.field_id)) return kNoCrop;
  const auto& variety = changes.variety_id.to;
  if (variety && *variety && !find_variety(rows, **variety)) return kNoVariety;
  return kDone;
}

}  // namespace tilth
