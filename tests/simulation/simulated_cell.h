// A cell of a simulated node: the real command loop and projectors of a part of the owners, and the
// disk with their rows.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "command/loop/command_loop.h"
#include "projections/fold/projector.h"
#include "projections/fold/refold.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/simulated_store.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// Rows that a loop follows the log for, and decides nothing on.
class SimulatedFollower {
 public:
  explicit SimulatedFollower(World& world) : store_(world) {}

  Status open(SimulatedLog& log, Projection projection, CommandLoop::Sources sources);
  Result<bool> turn() { return loop_->turn(std::chrono::milliseconds(0)); }

  CommandLoop& loop() { return *loop_; }
  Projector& projector() { return loop_->projector(); }
  const Projector& projector() const { return loop_->projector(); }
  const RowReader& rows() const { return store_.newest(); }

  void close() { loop_.reset(); }
  void lose_power() { store_.lose_power(); }

 private:
  SimulatedStore store_;
  std::unique_ptr<EventLog> followed_;
  std::unique_ptr<CommandLoop> loop_;
};

class SimulatedCell {
 public:
  explicit SimulatedCell(World& world)
      : world_(world), store_(std::make_unique<SimulatedStore>(world)), finance_(world) {}

  Status open(SimulatedLog& log, Projection registry, Projection finance,
              CommandLoop::Sources sources, CommandLoop::Limits limits);
  Result<bool> turn();  // whether there was work

  // Builds the rows of the registry again, next to the live ones, and switches to them once they
  // are the same.
  Status rebuild();
  bool rebuilding() const { return building_ != nullptr; }

  // From now on. Opening forgets it.
  void apply(const OperatorOverrides& orders);

  CommandLoop& loop() { return *loop_; }
  const CommandLoop& loop() const { return *loop_; }
  SimulatedFollower& finance() { return finance_; }
  const SimulatedFollower& finance() const { return finance_; }
  const RowReader& rows() const { return store_->newest(); }  // of the registry

  // The process dies, and then perhaps the machine.
  void close();
  void lose_power();

 private:
  Status open_refold();
  Result<bool> build_on();

  World& world_;
  std::unique_ptr<EventLog> followed_;
  Projection registry_ = {};
  std::function<Timestamp()> now_ = {};
  std::unique_ptr<SimulatedStore> store_, building_;  // the second one: of the next generation
  std::unique_ptr<Refold> refold_;
  std::unique_ptr<CommandLoop> loop_;
  SimulatedFollower finance_;
};

}  // namespace tilth::testing
