#include "projections/land/farm.h"

#include "projections/fold/record_rows.h"
#include "projections/rows/row_codec.h"
#include "projections/work/rule_visits.h"

namespace tilth {

template struct RowCodec<Farm>;

void evolve(MutableRows& rows, const FarmRegistered& e) {
  rows.put(Farm{e.id, e.details, e.recorded_at, e.recorded_at});
}

void evolve(MutableRows& rows, const FarmAmended& e) {
  auto farm = rows.find(e.id);
  if (!farm) return;
  const auto zone = farm->details.timezone;
  apply(e.changes, farm->details);
  farm->updated_at = e.amended_at;
  rows.put(*farm);
  if (farm->details.timezone != zone) {
    visit_rules(rows, farm->id.uuid, RuleVisitReason::kTimeZoneChanged, e.amended_at);
  }
}

ResourceRows farm_rows() {
  return {.rows = {row_type<Farm>()},
          .handlers = evolving<FarmRegistered, FarmAmended, FarmRemoved>()};
}

}  // namespace tilth
