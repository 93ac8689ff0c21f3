#include "projections/crop.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Crop>;

void evolve(MutableRows& rows, const CropRegistered& e) {
  rows.put(Crop{e.crop_id, e.farm_id, e.field_id, e.details, e.registered_at, e.registered_at});
}

void evolve(MutableRows& rows, const CropAmended& e) {
  auto crop = rows.find(e.crop_id);
  if (!crop) return;
  apply(e.changes, crop->details);
  crop->updated_at = e.amended_at;
  rows.put(*crop);
}

// Its blocks and what goes with those, its sales and its expenses go with it.
void evolve(MutableRows& rows, const CropRemoved& e) {
  const auto crop = rows.find(e.crop_id);
  if (!crop) return;
  rows.erase(*crop);
  rows.sweep({SweepStep::What::kBlocksOfCrop, crop->id.uuid, crop->field_id.uuid});
  rows.sweep({SweepStep::What::kSalesOfCrop, crop->id.uuid});
  rows.sweep({SweepStep::What::kExpensesOfCrop, crop->id.uuid, crop->farm_id.uuid});
}

}  // namespace tilth
