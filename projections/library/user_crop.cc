#include "projections/library/user_crop.h"

#include "projections/fold/row_type.h"
#include "projections/library/admin_crop.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<UserCrop>;

AdminCropName name_of(const AdminCrop& crop) {
  return {crop.id, crop.details.name, crop.details.scientific_name};
}

UserCrop as_named_now(const Rows& rows, UserCrop entry) {
  if (const auto crop = rows.reference().find(entry.admin_crop_id)) {
    entry.admin_crop = name_of(*crop);
  }
  return entry;
}

void evolve(MutableRows& rows, const UserCropAdded& e) {
  rows.put(UserCrop{e.user_crop_id, std::string(rows.stream()), e.admin_crop.id, e.farm_id,
                    e.source, e.customizations, e.admin_crop, e.added_at, e.added_at});
}

// Nothing that the grower entered has changed.
void evolve(MutableRows& rows, const UserCropRenamed& e) {
  auto entry = rows.find(e.user_crop_id);
  if (!entry) return;
  entry->admin_crop = e.admin_crop;
  rows.put(*entry);
}

void evolve(MutableRows& rows, const UserCropRemoved& e) { remove(rows, e.user_crop_id); }

ResourceRows user_crop_rows() {
  return {.rows = {row_type<UserCrop>()},
          .handlers = evolving<UserCropAdded, UserCropRenamed, UserCropRemoved>()};
}

}  // namespace tilth
