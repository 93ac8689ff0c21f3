#include "projections/work/rule_visits.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<RulesToVisit>;

void visit_rules(MutableRows& rows, const Uuid& of, RuleVisitReason reason, Timestamp since) {
  const bool farm = reason == RuleVisitReason::kTimeZoneChanged;
  const ListFilter filter{farm ? kRulesOfFarm : kRulesOfTemplate, std::string(of.key()), true};
  if (rows.has_linked(kRecurringTasks, {}, filter)) rows.put(RulesToVisit{{of}, reason, 0, since});
}

}  // namespace tilth
