#include "projections/farm.h"

#include "projections/recurring_task.h"
#include "projections/registry.h"
#include "projections/row_codec.h"

namespace tilth {

template struct RowCodec<Farm>;

void evolve(MutableRows& rows, const FarmRegistered& e) {
  rows.put(Farm{e.farm_id, e.details, e.registered_at, e.registered_at});
}

void evolve(MutableRows& rows, const FarmAmended& e) {
  auto farm = rows.find(e.farm_id);
  if (!farm) return;
  const auto zone = farm->details.timezone;
  apply(e.changes, farm->details);
  farm->updated_at = e.amended_at;
  rows.put(*farm);
  if (farm->details.timezone != zone) {
    visit_rules(rows, farm->id.uuid, RuleVisitReason::kTimeZoneChanged, e.amended_at);
  }
}

// All that lies on it goes with it.
void evolve(MutableRows& rows, const FarmRemoved& e) {
  const auto farm = rows.find(e.farm_id);
  if (!farm) return;
  rows.erase(*farm);
  rows.sweep({SweepStep::What::kUserCropsOfFarm, farm->id.uuid});
  rows.sweep({SweepStep::What::kTemplatesOfFarm, farm->id.uuid});
  rows.sweep({SweepStep::What::kRulesOfFarm, farm->id.uuid});  // the last is the first
  rows.sweep({SweepStep::What::kTasksOfFarm, farm->id.uuid});
  rows.sweep({SweepStep::What::kExpensesOfFarm, farm->id.uuid});
  rows.sweep({SweepStep::What::kOverheadsOfFarm, farm->id.uuid});
  rows.sweep({SweepStep::What::kPriceReportsOfFarm, farm->id.uuid});
  rows.sweep({SweepStep::What::kCropsOfFarm, farm->id.uuid});
  rows.sweep({SweepStep::What::kFieldsOfFarm, farm->id.uuid});
}

}  // namespace tilth
