#include "infra/log_lines/repeat_limit.h"

#include <algorithm>

namespace tilth {

bool RepeatLimit::admits(const std::string& kind, Steady::time_point now) {
  const bool is_known = minutes_.contains(kind);
  auto& minute = minutes_[is_known || minutes_.size() < kMostKinds ? kind : "others"];
  if (minute.ends <= now && minute.left_out == 0) minute = {now + std::chrono::minutes(1)};
  first_end_ = std::min(first_end_, minute.ends);
  if (minute.logged < kMostAMinute) {
    ++minute.logged;
    return true;
  }
  ++minute.left_out;
  return false;
}

std::vector<RepeatLimit::LeftOut> RepeatLimit::take_left_out(Steady::time_point now) {
  std::vector<LeftOut> summaries;
  if (now < first_end_) return summaries;
  first_end_ = Steady::time_point::max();
  for (auto each = minutes_.begin(); each != minutes_.end();) {
    const auto& [kind, minute] = *each;
    if (now < minute.ends) {
      first_end_ = std::min(first_end_, minute.ends);
      ++each;
      continue;
    }
    if (minute.left_out > 0) summaries.push_back({kind, minute.left_out});
    each = minutes_.erase(each);
  }
  std::ranges::sort(summaries, {}, &LeftOut::kind);
  return summaries;
}

}  // namespace tilth
