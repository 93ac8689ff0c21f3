// A node in a simulated world: the real cells, command loops and projectors, which a scheduler
// runs.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/loop/cells.h"
#include "projections/fold/cell_layout.h"
#include "tests/simulation/simulated_cell.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class SimulatedNode {
 public:
  SimulatedNode(World& world, SimulatedTopic& topic, std::string name);

  const std::string& name() const { return name_; }
  bool is_up() const { return all_ != nullptr; }

  // `done` runs once: at the result, or when the node dies. False: it is down, and nothing was
  // sent.
  bool carry_out(CommandRequest request, CommandLoop::OnDone done);

  // Whether a read that begins now shows what happened at `position`: of the reference data, in
  // every cell.
  bool shows(const std::string& stream, const Position& position) const;

  // Reads a stream once it shows what happened at `since`: `done` gets the version that it is at
  // then. It runs once; null: the node could not say in time, or is down.
  void read(const std::string& stream, const Position& since,
            std::function<void(std::optional<std::uint64_t>)> done);

  // All that the log holds is folded, and nothing waits.
  bool is_at_rest() const;
  // The rows that a projection's fold has now, by cell.
  std::vector<const RowReader*> rows(const std::string& projection) const;

  void start();
  // The process dies. With it, the machine may lose power.
  void crash();
  // Stops for a while, as a process that is swapped out.
  void pause(World::Micros time);
  // One cell's thread gets no processor for a while.
  void stall_a_cell(World::Micros time);
  // An operator has all its projections of land stand still, or go on. It outlives the process.
  void order(bool paused);
  World::Steady::time_point last_ordered() const { return last_ordered_; }
  // An operator has the rows of a cell built again.
  void rebuild_a_cell();
  void set_reachable(bool reachable) { log_.set_reachable(reachable); }

 private:
  void divide();
  void turn(std::size_t cell);
  void schedule(std::size_t cell, World::Micros delay);
  Projection with_its_bug(Projection projection, int cell) const;
  bool is_caught_up(const Projector& projector) const;
  void must(const Status& done);

  World& world_;
  SimulatedTopic& topic_;
  const std::string name_;
  const std::chrono::milliseconds skew_;
  SimulatedLog log_;
  std::unique_ptr<CellLayout> layout_;
  std::vector<std::unique_ptr<SimulatedCell>> cells_;
  SimulatedFollower market_;
  std::unique_ptr<Cells> all_;
  World::Steady::time_point paused_until_{};
  std::vector<World::Steady::time_point> stalled_until_;  // by cell
  OperatorOverrides orders_ = {};
  World::Steady::time_point last_ordered_{};
  std::uint64_t lives_ = 0;  // how often it was started or has died
};

}  // namespace tilth::testing
