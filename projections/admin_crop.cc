#include "projections/admin_crop.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<AdminCrop>;
template struct RowCodec<Variety>;

void evolve(MutableRows& rows, const AdminCropDescribed& e) {
  const auto created_at = [&](const auto& before) {
    return before ? before->created_at : e.described_at;
  };
  rows.put(AdminCrop{e.admin_crop_id, e.details, created_at(rows.find(e.admin_crop_id))});
  for (const auto& [id, details] : e.varieties) {
    rows.put(Variety{id, e.admin_crop_id, details, created_at(rows.find(id))});
  }
}

}  // namespace tilth
