// The part of the land that this node holds, where the nodes of a cluster divide it among them.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/operator/node_standing.h"
#include "app/node/polled_work.h"
#include "app/node/projection_cells.h"
#include "infra/cluster/announcement.h"
#include "infra/cluster/cell_map.h"
#include "infra/cluster/cell_moves.h"
#include "infra/cluster/land_holders.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"
#include "projections/history/stream_index.h"

namespace tilth {

// Operation: which cells this node should hold follows from the live nodes (CellMap). What it lacks
// it takes, one cell at a time: the cell is filled from the log, and announced once it has caught
// up. What it should not hold any more it keeps until enough others have announced it for a while;
// then it no longer announces it, goes on to answer for those that do not know that yet, and at
// last lets it go. So a client notices no move. It removes the rows of what it does not hold once
// enough others hold it, unless it drains. Nothing changes while this node does not read its own
// announcements back: then what it knows of the others may be old.
//
// Safety does not depend on it: two nodes that both take themselves to hold a cell refuse each
// other's records by their versions.
//
// The order of all that is CellMoves. This carries out its steps: each one that may last has a
// thread of its own meanwhile, so that a cell that is filled for minutes keeps no other one from
// moving.
//
// Threads: begin(), follow() and stop() from one; all else from any. One of its own takes and lets
// go, and one looks for which owners it is first, since to let a cell go waits for its loops.
//
// Crash: nothing is kept but the rows. What a node held is caught up with when it is taken again.
class LandShare final : public LandHolders, private LandKeeper {
 public:
  using Steady = std::chrono::steady_clock;

  // Borrowed; must outlive it.
  struct Parts {
    CommandLoop& access;
    ProjectionCells& registry;
    ProjectionCells& finance;
    ProjectionCells& market;
    StreamIndex& index;
    EventLog& log;
    CellLayout layout;
    int copies = 1;
    std::function<std::vector<NodeStanding>()> nodes;  // this node first
    std::function<bool()> is_current;                  // itself, and so the others
    // How many announcements were read: `nodes` may change with each.
    std::function<std::uint64_t()> announcements_read;
    std::function<void()> announce;          // what it holds has changed
    std::function<void()> on_first_changed;  // for which owners this node is_first()
    LogLines& log_lines;
    std::function<Steady::time_point()> steady = Steady::now;
  };

  explicit LandShare(Parts parts);
  ~LandShare() override { stop(); }

  // Takes the reference data and what this node should hold of the owners' land, once it knows
  // which nodes there are. kUnavailable: `stop_asked` returned true, or the log cannot be read.
  Status begin(const std::function<bool()>& stop_asked);
  // Follows the changes of the cluster from now on.
  void follow();
  void stop();

  std::size_t cells() const override { return cells_; }
  bool is_here(std::string_view stream) const override;
  bool is_here(std::size_t cell) const override;
  std::vector<std::string> others_with(std::string_view stream) const override;
  std::vector<std::string> others_with(std::size_t cell) const override;
  // Whether this node does for that owner what one node should do, such as to send webhooks: it
  // holds the cell, and no other that does comes first. For a moment that may be two nodes, or
  // none.
  bool is_first(std::string_view stream) const;

  // Of these, the partitions of the cells that it holds and has read.
  std::vector<HeldPartition> announced(const std::vector<Position>& next) const;
  // Of these, those that it does not go on to follow.
  std::vector<std::int64_t> halted(const std::vector<HeldPartition>& announced) const;

  // From now on this node takes nothing, and gives away what it holds. It lasts as long as the
  // process.
  void drain();
  bool draining() const { return moves_.draining(); }

  void report(Samples& to) const;  // metrics

 private:
  // The steps of a cell that are under way.
  struct Steps {
    PolledWork<Result<std::vector<Position>>> ends;
    PolledWork<Status> fill, read_history, hold;
    // Shared with a loop, which may outlive this.
    std::shared_ptr<std::atomic<bool>> is_awaited = std::make_shared<std::atomic<bool>>(false);
  };
  // Ends the rest between two turns; shared with loops, which may outlive this.
  struct Wakes {
    void wake();
    // Returns once it was woken since there were `seen` wakes, after `at_most`, or at `stop`.
    void rest(const std::stop_token& stop, std::uint64_t seen, std::chrono::milliseconds at_most);

    std::atomic<std::uint64_t> count = 0;
    std::mutex mutex;
    std::condition_variable_any changed;
  };

  std::optional<Result<std::vector<Position>>> read_ends(std::size_t cell) override;
  std::optional<Status> fill(std::size_t cell, const std::vector<Position>& ends) override;
  std::optional<Status> reach(std::size_t cell, const std::vector<Position>& ends) override;
  std::optional<Status> hold(std::size_t cell, const std::vector<Position>& ends) override;
  Status give_up(std::size_t cell) override;
  Status drop_rows(std::size_t cell) override;
  void announce() override { parts_.announce(); }

  Status take_all(const std::function<bool()>& stop_asked);
  Status fill_together(const std::vector<Position>& ends, const std::function<bool()>& stop_asked);
  void end_steps();
  std::vector<int> partitions_of(std::size_t cell) const;
  Status follow_history();
  Status read_history(std::size_t cell, const std::vector<Position>& ends) const;
  template <class Outcome>
  std::optional<Outcome> poll(PolledWork<Outcome>& work, std::function<Outcome()> step) const;

  std::shared_ptr<const CellMap> map() const;
  bool goes_on(std::size_t cell) const;
  void report_first_changed();
  void run(const std::stop_token& stop, const std::function<void()>& turn) const;

  const Parts parts_;
  // The registry last: decisions on it are what another node may wait for.
  const std::array<ProjectionCells*, 3> projections_;
  const std::size_t cells_;  // of owners
  CellMoves moves_;

  const std::shared_ptr<Wakes> wakes_ = std::make_shared<Wakes>();
  std::atomic<bool> ending_ = false;
  std::mutex filling_;                            // one bulk fold at a time has the memory for it
  std::mutex following_;                          // guards which partitions the index follows
  std::deque<std::atomic<bool>> history_wanted_;  // by cell

  // Used by one thread at a time: the one of begin(), and then the one that takes.
  std::deque<Steps> steps_;  // by cell

  std::vector<bool> first_;  // by cell, at the last on_first_changed(); of the other thread

  mutable std::mutex mutex_;  // guards what follows
  mutable std::shared_ptr<const CellMap> map_;
  mutable Steady::time_point mapped_at_ = {};
  mutable std::uint64_t mapped_after_ = 0;  // announcements

  std::jthread taking_, looking_;
};

}  // namespace tilth
