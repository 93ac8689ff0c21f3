#include "infra/cluster/cell_phases.h"

#include <algorithm>
#include <utility>

namespace tilth {

CellPhases::CellPhases(std::size_t cells, std::function<bool(std::size_t)> goes_on)
    : goes_on_(std::move(goes_on)), phases_(cells), since_(cells) {
  for (auto& phase : phases_) phase = Phase::kAway;
}

bool CellPhases::knows_the_others(Steady::time_point now, bool is_current) {
  if (!is_current) return current_since_.reset(), false;
  if (!current_since_) current_since_ = now;
  return now >= *current_since_ + kUntilAllAreKnown;
}

CellPhases::Step CellPhases::move_on(std::size_t cell, Steady::time_point now, const CellMap& map) {
  if (!has(cell) && map.should_hold(cell)) return Step::kTake;
  return give_up(cell, now, map);
}

// One step on the way from held to away, or back.
CellPhases::Step CellPhases::give_up(std::size_t cell, Steady::time_point now, const CellMap& map) {
  const auto& since = since_[cell];
  const bool may = !map.should_hold(cell) && map.has_enough_others(cell);
  switch (phases_[cell]) {
    case Phase::kAway:
      if (may) return Step::kRemove;
      break;
    case Phase::kHeld:
      if (!may) return since_[cell].reset(), Step::kNone;
      if (!since) since_[cell] = now;
      if (now >= *since + kSettled) return enter(cell, Phase::kLeaving, now);
      break;
    case Phase::kLeaving:
      if (!may) return enter(cell, Phase::kHeld, {});
      if (now >= *since + kAfterwards) enter(cell, Phase::kEnding, now);
      break;
    case Phase::kEnding:
      if (!may) return enter(cell, Phase::kHeld, {});
      if (now < *since + kToEnd) break;
      enter(cell, Phase::kAway, {});
      return Step::kClose;
  }
  return Step::kNone;
}

CellPhases::Step CellPhases::enter(std::size_t cell, Phase phase,
                                   std::optional<Steady::time_point> since) {
  phases_[cell] = phase;
  since_[cell] = since;
  return Step::kAnnounce;
}

std::size_t CellPhases::held() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(phases_, [](const auto& phase) { return phase == Phase::kHeld; }));
}

std::size_t CellPhases::leaving() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(since_, [](const auto& since) { return since.has_value(); }));
}

}  // namespace tilth
