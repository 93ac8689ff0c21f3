// How a node takes cells of the land and gives them up, one step after another.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "events/values/result.h"
#include "infra/cluster/cell_map.h"
#include "infra/cluster/cell_phases.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// Port: the rows of a node, by cell. The cell after those of owners is that of the reference data.
//
// None of these waits. A step that takes longer is begun by the first call and returns null until
// it has ended; it is called again in each turn, with the same arguments. It may be begun again
// once it has ended. An error ends the take of that cell, and is logged.
//
// Threads: one, that of CellMoves.
class LandKeeper {
 public:
  LandKeeper() = default;
  LandKeeper(const LandKeeper&) = delete;
  LandKeeper& operator=(const LandKeeper&) = delete;
  virtual ~LandKeeper() = default;

  // The ends, as they are after the call that begins it, of the partitions that the cell reads.
  virtual std::optional<Result<std::vector<Position>>> read_ends(std::size_t cell) = 0;
  // Opens the rows of the cell, folds in bulk what they lack before `ends`, if that is much, and
  // has them follow the log from then on.
  virtual std::optional<Status> fill(std::size_t cell, const std::vector<Position>& ends) = 0;
  // Whether readers see all records before `ends`, of all rows that go on.
  virtual std::optional<Status> reach(std::size_t cell, const std::vector<Position>& ends) = 0;
  // What is asked of the cell is carried out from now on. `ends`: those that it has reached last.
  virtual std::optional<Status> hold(std::size_t cell, const std::vector<Position>& ends) = 0;

  // What is asked of the cell from now on is refused, what waits ends, and it follows the log no
  // more. It is called in each turn for a cell that is away, for what was asked too late; so a
  // failure is tried again.
  virtual Status give_up(std::size_t cell) = 0;
  // Removes the rows of a cell that was given up, if there are any.
  virtual Status drop_rows(std::size_t cell) = 0;

  // Which cells are announced has changed.
  virtual void announce() = 0;
};

// Operation: which cells move follows from CellPhases, turn by turn. A cell is taken in the steps
// of kSteps. It is announced only after the last one, since others forward requests from then on.
//
// Cells are taken one at a time, since each may be folded in bulk, with most of the memory and the
// processors that there are for that; before the node is ready, some are, since their rows were
// filled before, and each waits for the log. Meanwhile the other cells move on. A cell that cannot
// be taken, or does not catch up within kCatchesUp, lets another one be taken, and is tried again
// later; its rows go on to follow the log. A take that has begun goes on whatever other nodes say
// meanwhile: if the cell is wanted no more, it is given up like any other.
//
// Threads: begin() and turn() from one; all else from any.
//
// Crash: nothing is kept. A node that starts again has taken nothing.
class CellMoves {
 public:
  using Steady = CellPhases::Steady;

  // In this order. What was written while the cell was filled is waited for, too: filling may take
  // minutes, and a client may have seen all of it at the node that holds the cell until then.
  enum class Step : std::uint8_t { kReadEnds, kFill, kReach, kHold };
  static constexpr std::array kSteps = {Step::kReadEnds, Step::kFill,  Step::kReach,
                                        Step::kReadEnds, Step::kReach, Step::kHold};

  // How many cells are taken at once before the node is ready. On Kafka, each has a client for each
  // projection meanwhile, which takes a few tenths of a second until its first record.
  static constexpr std::size_t kTogether = 8;
  // What is left then was written while the cell was filled, or is too little to be folded in bulk.
  static constexpr std::chrono::seconds kCatchesUp{60};

  // `goes_on`: see CellPhases. Borrowed; must outlive it. `cells`: of owners.
  CellMoves(std::size_t cells, std::function<bool(std::size_t cell)> goes_on, LandKeeper& keeper,
            LogLines& log_lines);

  // Whether this node knows which nodes there are. `is_current`: it reads its own
  // announcements back now.
  bool knows_the_others(Steady::time_point now, bool is_current) {
    return phases_.knows_the_others(now, is_current);
  }

  // A turn of the start: takes the reference data and all that this node should hold. Returns
  // whether that is done: then it announces it. An error is that of a step; the turn may be
  // repeated.
  Result<bool> begin(Steady::time_point now, bool is_current, const CellMap& map);
  // A turn after that, which moves each cell by a step.
  void turn(Steady::time_point now, bool is_current, const CellMap& map);

  // From now on rows of what is given up are kept: a node that was drained is likely to be started
  // again, and to hold the same. It lasts. Returns whether it was not so before.
  bool drain() { return !draining_.exchange(true); }
  bool draining() const { return draining_; }

  const CellPhases& phases() const { return phases_; }
  // How many cells are on the way to be held, or to be away.
  std::size_t moving() const { return moving_; }
  // How many cells of owners it has taken, and given up, so far.
  std::uint64_t taken() const { return taken_; }
  std::uint64_t given_up() const { return given_up_; }

 private:
  struct Take {
    std::size_t cell;
    Steady::time_point begun;
    std::size_t step = 0;  // of kSteps
    std::optional<Steady::time_point> step_begun = {};
    std::vector<Position> ends = {};  // read last
  };

  bool is_taken(std::size_t cell) const;
  void move_on(std::size_t cell, Steady::time_point now, const CellMap& map);
  void close(std::size_t cell);
  void remove_rows(std::size_t cell);
  Status go_on_taking(Steady::time_point now);
  std::optional<Status> go_on(Take& take, Steady::time_point now);
  std::optional<Status> carry_out(Take& take);
  void held(const Take& take, Steady::time_point now);
  void log_once(std::size_t cell, const std::string& what, const Error& why);

  LandKeeper& keeper_;
  LogLines& log_lines_;
  const std::size_t cells_;  // of owners
  CellPhases phases_;
  std::vector<Take> takes_;
  std::size_t first_ = 0;  // the cell that is looked at first, so that each is taken in its turn
  bool has_reference_ = false, has_begun_ = false;
  std::vector<std::string> trouble_;  // by cell, what was logged last
  std::atomic<bool> draining_ = false;
  std::atomic<std::size_t> moving_ = 0;
  std::atomic<std::uint64_t> taken_ = 0, given_up_ = 0;
};

}  // namespace tilth
