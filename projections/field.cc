#include "projections/field.h"

#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Field>;

void evolve(MutableRows& rows, const FieldRegistered& e) {
  rows.put(Field{e.field_id, e.farm_id, e.details, e.registered_at, e.registered_at});
}

void evolve(MutableRows& rows, const FieldAmended& e) {
  auto field = rows.find(e.field_id);
  if (!field) return;
  apply(e.changes, field->details);
  if (e.changes.soil_ph.to) field->soil_ph_from.reset();
  field->updated_at = e.amended_at;
  rows.put(*field);
}

// All that grows on it and was written down of it goes with it.
void evolve(MutableRows& rows, const FieldRemoved& e) {
  const auto field = rows.find(e.field_id);
  if (!field) return;
  rows.erase(*field);
  rows.sweep({SweepStep::What::kCropsOfField, field->id.uuid});
  rows.sweep({SweepStep::What::kBlocksOfField, field->id.uuid});
  rows.sweep({SweepStep::What::kIrrigationsOfField, field->id.uuid});
  rows.sweep({SweepStep::What::kSoilSamplesOfField, field->id.uuid});
  rows.sweep({SweepStep::What::kExpensesOfField, field->id.uuid, field->farm_id.uuid});
}

}  // namespace tilth
