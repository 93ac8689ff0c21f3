#include "projections/user_crop.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<UserCrop>;

void evolve(MutableRows& rows, const UserCropAdded& e) {
  rows.put(UserCrop{e.user_crop_id, std::string(rows.stream()), e.admin_crop.id, e.farm_id,
                    e.source, e.customizations, e.admin_crop, e.added_at, e.added_at});
}

void evolve(MutableRows& rows, const UserCropRemoved& e) {
  if (const auto entry = rows.find(e.user_crop_id)) rows.erase(*entry);
}

}  // namespace tilth
