#include "projections/plant.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Plant>;

void evolve(MutableRows& rows, const PlantRegistered& e) {
  rows.put(Plant{e.plant_id, e.farm_id, e.field_id, e.block_id, e.details, e.registered_at,
                 e.registered_at});
}

void evolve(MutableRows& rows, const PlantAmended& e) {
  auto plant = rows.find(e.plant_id);
  if (!plant) return;
  apply(e.changes, plant->details);
  plant->updated_at = e.amended_at;
  rows.put(*plant);
}

void evolve(MutableRows& rows, const PlantRemoved& e) {
  const auto plant = rows.find(e.plant_id);
  if (!plant) return;
  rows.erase(*plant);
}

}  // namespace tilth
