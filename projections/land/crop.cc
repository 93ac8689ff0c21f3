#include "projections/land/crop.h"

#include "projections/fold/record_rows.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Crop>;

void evolve(MutableRows& rows, const CropRegistered& e) {
  rows.put(Crop{e.id, e.where.farm_id, e.where.field_id, e.details, e.recorded_at, e.recorded_at});
}

ResourceRows crop_rows() {
  return {.rows = {row_type<Crop>()},
          .handlers = evolving<CropRegistered, CropAmended, CropRemoved>()};
}

}  // namespace tilth
