#include "infra/cluster/cell_moves.h"

#include <algorithm>
#include <utility>

namespace tilth {

CellMoves::CellMoves(std::size_t cells, std::function<bool(std::size_t)> goes_on,
                     LandKeeper& keeper, LogLines& log_lines)
    : keeper_(keeper),
      log_lines_(log_lines),
      cells_(cells),
      phases_(cells, std::move(goes_on)),
      trouble_(cells + 1) {}

Result<bool> CellMoves::begin(Steady::time_point now, bool is_current, const CellMap& map) {
  if (!knows_the_others(now, is_current)) return false;
  bool lacks_some = !has_reference_;
  const auto lacks = [&](std::size_t cell) {
    return cell == cells_ ? !has_reference_ : map.should_hold(cell) && phases_.is_away(cell);
  };
  for (std::size_t i = 0; i <= cells_; ++i) {
    const auto cell = (cells_ + i) % (cells_ + 1);  // the reference data first
    if (!lacks(cell)) continue;
    lacks_some = true;
    if (!is_taken(cell) && takes_.size() < kTogether) takes_.push_back({cell, now});
  }
  const auto taken = go_on_taking(now);
  if (!taken) return taken.error();
  if (lacks_some || !takes_.empty()) return false;
  has_begun_ = true;
  keeper_.announce();
  return true;
}

void CellMoves::turn(Steady::time_point now, bool is_current, const CellMap& map) {
  if (knows_the_others(now, is_current)) {
    for (std::size_t i = 0; i < cells_; ++i) move_on((first_ + i) % cells_, now, map);
  }
  static_cast<void>(go_on_taking(now));  // it logs what fails
}

bool CellMoves::is_taken(std::size_t cell) const {
  return std::ranges::any_of(takes_, [&](const auto& take) { return take.cell == cell; });
}

// The rows of a cell that is taken belong to the step that is under way.
void CellMoves::move_on(std::size_t cell, Steady::time_point now, const CellMap& map) {
  if (is_taken(cell)) return;
  switch (phases_.move_on(cell, now, map)) {
    case CellPhases::Step::kNone:
      if (phases_.is_away(cell)) static_cast<void>(keeper_.give_up(cell));
      break;
    case CellPhases::Step::kAnnounce:
      keeper_.announce();
      break;
    case CellPhases::Step::kClose:
      close(cell);
      break;
    case CellPhases::Step::kRemove:
      remove_rows(cell);
      break;
    case CellPhases::Step::kTake:
      if (takes_.empty()) takes_.push_back({cell, now});
      break;
  }
}

// Whatever was asked of it here has ended.
void CellMoves::close(std::size_t cell) {
  static_cast<void>(keeper_.give_up(cell));  // is tried again in the next turn
  ++given_up_;
  log_lines_.info("This node has given up a cell of the land: others hold it.",
                  {{"cell", static_cast<std::int64_t>(cell)}});
}

// Those of when it was held, perhaps before the last start, or of a take that was not finished.
void CellMoves::remove_rows(std::size_t cell) {
  if (!keeper_.give_up(cell) || draining_) return;
  const auto removed = keeper_.drop_rows(cell);
  if (removed) return trouble_[cell].clear();
  log_once(cell, "The rows of a cell that was given up cannot be removed.", removed.error());
}

// Returns the last error.
Status CellMoves::go_on_taking(Steady::time_point now) {
  Status outcome = kDone;
  std::erase_if(takes_, [&](Take& take) {
    const auto ended = go_on(take, now);
    if (!ended) return false;
    first_ = (take.cell + 1) % cells_;
    if (*ended) return held(take, now), true;
    outcome = *ended;
    log_once(take.cell, "A cell of the land cannot be taken.", outcome.error());
    return true;
  });
  moving_ = phases_.leaving() + takes_.size();
  return outcome;
}

// Null: it has not ended.
std::optional<Status> CellMoves::go_on(Take& take, Steady::time_point now) {
  while (take.step < kSteps.size()) {
    if (!take.step_begun) take.step_begun = now;
    const auto ended = carry_out(take);
    if (ended && !*ended) return ended;
    if (!ended) {
      const bool is_late =
          has_begun_ && kSteps[take.step] == Step::kReach && now >= *take.step_begun + kCatchesUp;
      if (!is_late) return std::nullopt;
      return Error{ErrorCode::kUnavailable, "It does not catch up with the log."};
    }
    ++take.step;
    take.step_begun.reset();
  }
  return kDone;
}

std::optional<Status> CellMoves::carry_out(Take& take) {
  switch (kSteps[take.step]) {
    case Step::kReadEnds: {
      auto ends = keeper_.read_ends(take.cell);
      if (!ends) return std::nullopt;
      if (!*ends) return ends->error();
      take.ends = std::move(**ends);
      return kDone;
    }
    case Step::kFill:
      return keeper_.fill(take.cell, take.ends);
    case Step::kReach:
      return keeper_.reach(take.cell, take.ends);
    case Step::kHold:
      return keeper_.hold(take.cell, take.ends);
  }
  return kDone;
}

void CellMoves::held(const Take& take, Steady::time_point now) {
  trouble_[take.cell].clear();
  if (take.cell == cells_) return void(has_reference_ = true);
  phases_.take(take.cell);
  ++taken_;
  const std::chrono::duration<double, std::milli> took = now - take.begun;
  log_lines_.info("This node holds another cell of the land.",
                  {{"cell", static_cast<std::int64_t>(take.cell)},
                   {"milliseconds", static_cast<std::int64_t>(took.count())}});
  if (has_begun_) keeper_.announce();
}

// What keeps all cells away is logged for the first of them.
void CellMoves::log_once(std::size_t cell, const std::string& what, const Error& why) {
  const bool is_known = std::ranges::find(trouble_, why.message) != trouble_.end();
  trouble_[cell] = why.message;
  if (is_known) return;
  log_lines_.warn(what, {{"cell", static_cast<std::int64_t>(cell)}, {"reason", why.message}});
}

}  // namespace tilth
