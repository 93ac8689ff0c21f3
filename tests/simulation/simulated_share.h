// The part of the land that a simulated node holds: what it hears of the others, and the real
// decisions about which cells it takes and gives up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infra/cluster/cell_map.h"
#include "infra/cluster/cell_phases.h"
#include "infra/cluster/cluster_view.h"
#include "infra/cluster/land_holders.h"
#include "projections/fold/cell_layout.h"
#include "tests/simulation/simulated_cluster.h"
#include "tests/simulation/simulated_log.h"

namespace tilth::testing {

// One run of a process, which begins with nothing. It does in turns what LandShare and Membership
// do in threads.
class SimulatedShare final : public LandHolders {
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
    std::function<void(std::size_t cell)> fill, hold, close;
    // It takes a cell, has filled or given it up, or tells others about it: a step was made.
    std::function<void(std::size_t cell)> stepped;
    // The records that each partition has, by partition.
    std::function<bool(std::size_t cell, const std::vector<std::int64_t>& ends)> has_read;
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

  void drain() { draining_ = hurries_ = true; }
  bool draining() const { return draining_; }
  // It stops now, and says so.
  void leave();

  bool has_given_all_away() const;
  // It has what it should have, and no more.
  bool is_settled() const;

 private:
  // A cell that is filled, and the ends that it reaches first: of the log when it began, and then
  // of the log when it had been filled.
  struct Taking {
    std::size_t cell;
    World::Steady::time_point filled_at;
    std::vector<std::int64_t> ends;
    bool is_filled = false;
    bool began = false;
  };

  std::size_t cell_of(std::string_view stream) const {
    return static_cast<std::size_t>(parts_.layout.cell_of(stream));
  }
  Announcement self() const;
  void read_on();
  void announce();
  void append(Announcement said);
  void look_at_the_map();
  void take(std::size_t cell);
  void go_on_taking();
  void begin();
  void move_on();
  bool hears() const;
  std::vector<std::int64_t> ends() const;

  const Parts parts_;
  const std::size_t cells_;  // of owners
  const std::string run_;
  ClusterView view_;
  CellPhases phases_;
  std::shared_ptr<const CellMap> map_;
  std::size_t read_;  // of what was said
  World::Steady::time_point next_beat_{};
  bool hurries_ = false, draining_ = false, ready_ = false, has_reference_ = false;
  // Outlives this, for an append in flight.
  struct Sending {
    bool under_way = false;
    std::string id;
    World::Steady::time_point at{};
  };
  const std::shared_ptr<Sending> sending_ = std::make_shared<Sending>();
  std::optional<Taking> taking_;
};

}  // namespace tilth::testing
