#include "projections/operations/soil_sample.h"

#include <utility>

#include "projections/fold/row_type.h"
#include "projections/rows/row_codec.h"

namespace tilth {
namespace {

// docs/api.md, "Soil sample".
void update_field(MutableRows& rows, Field& field, const SoilSample& sample, Timestamp now) {
  field.details.soil_ph = sample.details.ph;
  field.soil_ph_from = sample.id;
  field.updated_at = now;
  rows.put(field);
}

bool is_older(const SoilSample& a, const SoilSample& b) {
  return std::pair(a.details.sampled_at, a.created_at) <
         std::pair(b.details.sampled_at, b.created_at);
}

}  // namespace

template struct RowCodec<SoilSample>;

void evolve(MutableRows& rows, const SoilSampleRecorded& e) {
  const SoilSample sample{entry_of(e)};
  const auto newest = SoilSample::newest_with_ph(rows, e.where.field_id);
  rows.put(sample);
  auto field = rows.find(e.where.field_id);
  if (!field || !sample.details.ph || (newest && is_older(sample, *newest))) return;
  update_field(rows, *field, sample, e.recorded_at);
}

// The field keeps its value unless another sample can replace the one that it came from.
void evolve(MutableRows& rows, const SoilSampleRemoved& e) {
  const auto sample = rows.find(e.id);
  if (!sample) return;
  rows.erase(*sample);
  auto field = rows.find(sample->where.field_id);
  if (!field || field->soil_ph_from != e.id) return;
  const auto newest = SoilSample::newest_with_ph(rows, field->id);
  if (newest) update_field(rows, *field, *newest, e.removed_at);
}

ResourceRows soil_sample_rows() {
  return {.rows = {row_type<SoilSample>()},
          .handlers = evolving<SoilSampleRecorded, SoilSampleRemoved>()};
}

}  // namespace tilth
