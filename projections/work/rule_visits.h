// Which rules of recurring tasks must be visited because their farm or their template changed.

#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "events/work/recurring_task.h"
#include "projections/rows/rows.h"

namespace tilth {

// The lists of rules: rows of recurring_task.h.
inline constexpr std::string_view kRecurringTasks = "recurring_task";
inline constexpr std::size_t kRulesOfFarm = 0, kRulesOfTemplate = 1;  // filters

// All rules of a farm or a template, which has the same id, must be visited.
struct RulesToVisit {
  static constexpr std::string_view kTable = "rules_to_visit";
  static constexpr std::array<std::string_view, 1> kSorts{"since"};
  static constexpr std::array<std::string_view, 0> kFilters{};

  Id<RulesToVisit> id;
  RuleVisitReason reason = {};
  std::int64_t visited = 0;
  Timestamp since = {};

  Uuid parent() const { return {}; }
  void index_to(RowIndex& index) const { index.sort(since), index.wakes_at(since); }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("reason", reason), member("visited", visited),
       member("since", since));
  }
};

// For the evolve() of a farm or a template: schedules a visit of its rules, if it has any.
void visit_rules(MutableRows& rows, const Uuid& of, RuleVisitReason reason, Timestamp since);

}  // namespace tilth
