// Which cells of the land a node takes, answers for, announces and gives up, and when.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "infra/cluster/cell_map.h"

namespace tilth {

// Decides from the announcements and the time that its caller passes; does nothing itself. A cell
// that this node should hold is taken. One that it should not hold any more is kept until enough
// others have announced it for a while; then it is no longer announced, but still answered for,
// since not all nodes know that yet; at last requests are forwarded, and what was begun ends. See
// docs/decisions/0079-nodes-of-a-cluster-hold-a-part-of-the-land-each-and-pass-requests-on.md.
//
// Threads: knows_the_others(), take() and move_on() from one; all else from any.
//
// Crash: nothing is kept. A node that starts again has taken nothing.
class CellPhases {
 public:
  using Steady = std::chrono::steady_clock;
  // What the node does now. kTake: to fill the cell from the log, and call take() once it has
  // caught up. kClose: to follow it no more. kRemove: its rows may go, if it still has some.
  enum class Step : std::uint8_t { kNone, kTake, kAnnounce, kClose, kRemove };

  // Every node has announced itself once in that time.
  static constexpr std::chrono::milliseconds kUntilAllAreKnown{1'500};
  // How long enough others must have announced a cell before it is given up; how long this node
  // answers for it after that; and how long what it has begun then may take, which is longer than
  // any command does.
  static constexpr std::chrono::milliseconds kSettled{3'000}, kAfterwards{5'000}, kToEnd{10'000};

  // `goes_on`: whether all that this node has of a cell follows the log; asked only about a cell
  // that it answers for, from any thread.
  CellPhases(std::size_t cells, std::function<bool(std::size_t cell)> goes_on);

  // Whether this node has read its own announcements back for as long as each other node needs to
  // announce itself. Until then it takes nothing and gives nothing up. `is_current`: it reads them
  // back now.
  bool knows_the_others(Steady::time_point now, bool is_current);

  // The next step of a cell. What it leads to counts at once, but for kTake.
  Step move_on(std::size_t cell, Steady::time_point now, const CellMap& map);
  // The cell has caught up with the end of the log as it was when it had been filled.
  void take(std::size_t cell) { enter(cell, Phase::kHeld, {}); }

  // Whether this node answers for the cell. One that does not go on is left to others that do.
  // `map` returns the map, and is called only where it matters.
  template <class Map>
  bool is_here(std::size_t cell, const Map& map) const {
    return has(cell) && (goes_on_(cell) || map()->others_that_go_on(cell) == 0);
  }
  // Also one that does not go on: if no other does, it still answers what it can.
  bool is_announced(std::size_t cell) const { return phases_[cell] == Phase::kHeld; }
  bool goes_on(std::size_t cell) const { return is_announced(cell) && goes_on_(cell); }
  // Whether it goes on, and no other node that does comes before this one.
  bool is_first(std::size_t cell, const CellMap& map) const {
    return goes_on(cell) && !map.other_is_first(cell);
  }
  // Whether neither this node answers for it nor another one.
  bool is_lost(std::size_t cell, const CellMap& map) const {
    return !has(cell) && map.others_with(cell).empty();
  }
  bool is_away(std::size_t cell) const { return phases_[cell] == Phase::kAway; }

  std::size_t held() const;
  // How many are on the way from held to away; to be called by the thread of move_on().
  std::size_t leaving() const;

 private:
  // kLeaving: it still answers for it, and no longer announces it. kEnding: it forwards requests,
  // and goes on to follow for those that it has begun.
  enum class Phase : std::uint8_t { kAway, kHeld, kLeaving, kEnding };

  bool has(std::size_t cell) const {
    const Phase phase = phases_[cell];
    return phase == Phase::kHeld || phase == Phase::kLeaving;
  }
  Step enter(std::size_t cell, Phase phase, std::optional<Steady::time_point> since);
  Step give_up(std::size_t cell, Steady::time_point now, const CellMap& map);

  const std::function<bool(std::size_t)> goes_on_;
  std::deque<std::atomic<Phase>> phases_;  // by cell
  std::optional<Steady::time_point> current_since_;
  // By cell, when its phase began, or others announced enough of what is held; null: it stays so.
  std::vector<std::optional<Steady::time_point>> since_;
};

}  // namespace tilth
