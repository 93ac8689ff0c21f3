// The part of the land that a simulated node holds: what it hears of the others, and the real turns
// in which it takes cells and gives them up.

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
#include "infra/cluster/cluster_view.h"
#include "infra/cluster/land_holders.h"
#include "infra/log_lines/log_lines.h"
#include "projections/fold/cell_layout.h"
#include "tests/simulation/simulated_cluster.h"
#include "tests/simulation/simulated_log.h"

namespace tilth::testing {

// One run of a process, which begins with nothing. It carries out the steps of CellMoves as
// LandShare does, and says in turns what Membership does in a thread.
class SimulatedShare final : public LandHolders, private LandKeeper {
 public:
  // What it has done, by cell: that of the reference data is the one after those of owners.
  struct Parts {
    World& world;
    SimulatedCluster& cluster;
    const SimulatedTopic& topic;
    std::string node;
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

  // Whether it has taken all that it should hold at its start.
  bool is_ready() const { return ready_; }
  std::size_t cells() const override { return cells_; }
  bool is_here(std::string_view stream) const override { return is_here(cell_of(stream)); }
  bool is_here(std::size_t cell) const override;
  std::vector<std::string> others_with(std::string_view stream) const override {
    return others_with(cell_of(stream));
  }
  std::vector<std::string> others_with(std::size_t cell) const override;
  // As LandShare::is_first() says.
  bool is_first(std::size_t cell) const;

  void drain() { hurries_ = moves_.drain(); }
  bool draining() const { return moves_.draining(); }
  // It stops now, and says so.
  void leave();

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
  void read_on();
  void tell_the_others();
  void append(Announcement said);
  void look_at_the_map();
  void follow_what_is_filled();
  void take_and_give_up();
  bool hears() const;
  bool is_announced_too_early(std::size_t cell) const;

  std::optional<Result<std::vector<Position>>> read_ends(std::size_t cell) override;
  std::optional<Status> fill(std::size_t cell, const std::vector<Position>& ends) override;
  std::optional<Status> reach(std::size_t cell, const std::vector<Position>& ends) override;
  std::optional<Status> hold(std::size_t cell, const std::vector<Position>& ends) override;
  Status give_up(std::size_t cell) override;
  Status drop_rows(std::size_t cell) override;
  void announce() override { hurries_ = true; }

  const Parts parts_;
  const std::size_t cells_;  // of owners
  const std::string run_;
  ClusterView view_;
  CellMoves moves_;
  std::map<std::size_t, Filled> filled_;  // by cell
  std::shared_ptr<const CellMap> map_;
  std::size_t read_;  // of what was said
  World::Steady::time_point next_beat_{};
  bool hurries_ = false, ready_ = false;
  // Outlives this, for an append in flight.
  struct Sending {
    bool under_way = false;
    std::string id;
    World::Steady::time_point at{};
  };
  const std::shared_ptr<Sending> sending_ = std::make_shared<Sending>();
};

}  // namespace tilth::testing
