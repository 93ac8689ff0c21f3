#include "projections/land/field.h"

#include "projections/fold/record_rows.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<Field>;

void evolve(MutableRows& rows, const FieldRegistered& e) {
  rows.put(Field{e.id, e.where.farm_id, e.details, e.recorded_at, e.recorded_at});
}

void evolve(MutableRows& rows, const FieldAmended& e) {
  auto field = rows.find(e.id);
  if (!field) return;
  apply(e.changes, field->details);
  if (e.changes.soil_ph.to) field->soil_ph_from.reset();
  field->updated_at = e.amended_at;
  rows.put(*field);
}

ResourceRows field_rows() {
  return {.rows = {row_type<Field>()},
          .handlers = evolving<FieldRegistered, FieldAmended, FieldRemoved>()};
}

}  // namespace tilth
