#include "projections/work/rule_tasks.h"

#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<RuleTasks>;

namespace {

Timestamp beginning_of_day(Timestamp at) { return {std::chrono::floor<std::chrono::days>(at.at)}; }

}  // namespace

std::int64_t rule_tasks_made(const Rows& rows, Timestamp now) {
  const auto row = rows.find(Id<RuleTasks>{});
  return row && row->day == beginning_of_day(now) ? row->made : 0;
}

void count_rule_tasks(MutableRows& rows, std::size_t made, Timestamp at) {
  if (made == 0) return;
  const auto day = beginning_of_day(at);
  const auto before = rule_tasks_made(rows, at);
  rows.put(RuleTasks{{}, day, before + static_cast<std::int64_t>(made)});
}

}  // namespace tilth
