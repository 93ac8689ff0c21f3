// A node in a simulated world: the real command loop and projectors, which a scheduler runs.

#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "command/loop/command_loop.h"
#include "projections/fold/projector.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/simulated_store.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class SimulatedNode {
 public:
  SimulatedNode(World& world, SimulatedTopic& topic, std::string name);

  const std::string& name() const { return name_; }
  bool is_up() const { return loop_ != nullptr; }

  // `done` runs once: at the result, or when the node dies. False: it is down, and nothing was
  // sent.
  bool carry_out(CommandRequest request, CommandLoop::OnDone done);

  // Whether a read that begins now shows what happened at `position`.
  bool shows(const std::string& stream, const Position& position) const;

  // All that the log holds is folded, and nothing waits.
  bool is_at_rest() const;
  // The rows that a projection's fold has now.
  const RowReader& rows(const std::string& projection) const;

  void start();
  // The process dies. With it, the machine may lose power.
  void crash();
  // Stops for a while, as a process that is swapped out.
  void pause(World::Micros time);
  void set_reachable(bool reachable) { log_.set_reachable(reachable); }

 private:
  struct Follower {
    std::string name;
    Projection (*make)();
    std::unique_ptr<SimulatedStore> store = {};
    std::unique_ptr<Projector> projector = {};
  };

  void turn();
  void schedule(World::Micros delay);
  Projection with_its_bug(Projection projection) const;
  void must(const Status& done);

  World& world_;
  SimulatedTopic& topic_;
  const std::string name_;
  const std::chrono::milliseconds skew_;
  SimulatedLog log_;
  SimulatedStore store_;
  std::unique_ptr<CommandLoop> loop_;
  std::vector<Follower> followers_;
  World::Steady::time_point paused_until_{};
  std::uint64_t lives_ = 0;  // how often it was started or has died
};

}  // namespace tilth::testing
