#include "projections/access/ai_request.h"

#include <algorithm>

#include "projections/fold/row_type.h"
#include "projections/rows/row_codec.h"

namespace tilth {

template struct RowCodec<AiUse>;

std::int64_t AiUse::in(Month month) const {
  const auto found = std::find_if(months.begin(), months.end(),
                                  [&](const auto& each) { return each.begin == month.begin(); });
  return found == months.end() ? 0 : found->succeeded;
}

void evolve(MutableRows& rows, const AiRequestReported& e) {
  const auto bits = nanoid_bits(User::kIdPrefix, e.user_id);
  if (!bits || e.status != AiRequestStatus::kSucceeded) return;
  auto use = rows.find(Id<AiUse>{*bits}).value_or(AiUse{{*bits}});
  const auto begin = Month::of(e.requested_at).begin();
  const auto found = std::find_if(use.months.begin(), use.months.end(),
                                  [&](const auto& each) { return each.begin == begin; });
  auto& month = found == use.months.end() ? use.months.emplace_back(AiMonth{begin}) : *found;
  ++month.succeeded;
  rows.put(use);
}

ResourceRows ai_request_rows() {
  return {.rows = {row_type<AiUse>()}, .handlers = evolving<AiRequestReported>()};
}

}  // namespace tilth
