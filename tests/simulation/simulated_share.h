// The part of the land that a simulated node holds: the real turns in which it announces itself and
// hears the others, takes cells and gives them up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infra/cluster/cell_map.h"
#include "infra/cluster/cell_moves.h"
#include "infra/cluster/land_holders.h"
#include "infra/cluster/membership.h"
#include "infra/log_lines/log_lines.h"
#include "projections/fold/cell_layout.h"
#include "tests/simulation/plain_view.h"
#include "tests/simulation/simulated_cluster.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// One run of a process, which begins with nothing. It carries out the steps of CellMoves as
// LandShare does.
class SimulatedShare final : public LandHolders, private LandKeeper {
 public:
  // What it has done, by cell: that of the reference data is the one after those of owners.
  struct Parts {
    World& world;
    SimulatedCluster& cluster;
    const SimulatedTopic& topic;
    std::string node;
    EventLog& announcements;
    const Clock& clock;
    const IdSource& ids;
    const CellLayout& layout;
    std::function<bool()> reachable;  // the log
    std::function<bool(std::size_t cell)> goes_on;
    std::function<void(std::size_t cell)> follow, hold, close;
    // It takes a cell, has filled or given it up, or tells others about it: a step was made.
    std::function<void(std::size_t cell)> stepped;
    // The records that each partition has, by partition.
    std::function<bool(std::size_t cell, const std::vector<std::int64_t>& ends)> has_read;
    LogLines& log_lines;
  };

  explicit SimulatedShare(Parts parts);

  void turn();

  // Whether it has taken all that it should hold at its start, and the others know.
  bool is_ready() const { return ready_ && membership_.has_announced_ready(); }
  std::size_t cells() const override { return cells_; }
  bool is_here(std::string_view stream) const override { return is_here(cell_of(stream)); }
  bool is_here(std::size_t cell) const override;
  std::vector<std::string> others_with(std::string_view stream) const override {
    return others_with(cell_of(stream));
  }
  std::vector<std::string> others_with(std::size_t cell) const override;
  // As LandShare::is_first() says.
  bool is_first(std::size_t cell) const;

  void drain();
  bool draining() const { return moves_.draining(); }
  // Says that it stops. Returns whether it has, or has tried for long enough; to be called until
  // then.
  bool leave();

  bool has_given_all_away() const;
  // It has what it should have, and no more.
  bool is_settled() const;

 private:
  // When rows are filled, and from when on they read what was written since.
  struct Filled {
    World::Steady::time_point at, reads_on;
    bool follows = false;
  };

  std::size_t cell_of(std::string_view stream) const {
    return static_cast<std::size_t>(parts_.layout.cell_of(stream));
  }
  Announcement self() const;
  World::Steady::time_point steady() const;
  void look_at_the_map();
  void follow_what_is_filled();
  void take_and_give_up();
  bool is_announced_too_early(std::size_t cell) const;

  std::optional<Result<std::vector<Position>>> read_ends(std::size_t cell) override;
  std::optional<Status> fill(std::size_t cell, const std::vector<Position>& ends) override;
  std::optional<Status> reach(std::size_t cell, const std::vector<Position>& ends) override;
  std::optional<Status> hold(std::size_t cell, const std::vector<Position>& ends) override;
  Status give_up(std::size_t cell) override;
  Status drop_rows(std::size_t cell) override;
  void announce() override;

  const Parts parts_;
  const std::size_t cells_;  // of owners
  const Timestamp started_at_ = parts_.clock.now();
  CellMoves moves_;
  PlainView plain_;
  Membership membership_;
  std::map<std::size_t, Filled> filled_;  // by cell
  std::shared_ptr<const CellMap> map_;
  bool ready_ = false;
  std::optional<World::Steady::time_point> leaves_since_;
};

}  // namespace tilth::testing
