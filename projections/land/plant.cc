#include "projections/land/plant.h"

#include "projections/fold/record_rows.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Plant>;

void evolve(MutableRows& rows, const PlantRegistered& e) {
  rows.put(Plant{e.id, e.where.farm_id, e.where.field_id, e.where.block_id, e.details,
                 e.recorded_at, e.recorded_at});
}

ResourceRows plant_rows() {
  return {.rows = {row_type<Plant>()},
          .handlers = evolving<PlantRegistered, PlantAmended, PlantRemoved>()};
}

}  // namespace tilth
