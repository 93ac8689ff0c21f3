#include "tests/simulation/simulated_node.h"

#include <utility>

#include "command/work/due_rules.h"
#include "projections/work/task.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

}  // namespace

SimulatedNode::SimulatedNode(World& world, SimulatedTopic& topic, std::string name)
    : world_(world),
      topic_(topic),
      name_(std::move(name)),
      skew_(world.below(400)),
      log_(world, topic),
      store_(world) {
  followers_.push_back({"finance", finance});
  followers_.push_back({"market", market});
  for (auto& follower : followers_) follower.store = std::make_unique<SimulatedStore>(world);
  if (name_ == "node-1" && world.has(PlantedBug::kNodeMissesPredecessors)) log_.miss_predecessors();
  start();
}

void SimulatedNode::start() {
  world_.note(name_ + " starts");
  ++lives_;
  CommandLoop::Sources sources{.node = name_,
                               .now = [this] { return Timestamp{world_.wall_clock().at + skew_}; },
                               .new_id = [this] { return world_.uuid(); },
                               .due = decide_due,
                               .steady = [this] { return world_.now(); }};
  loop_ = std::make_unique<CommandLoop>(log_, store_, with_its_bug(registry()), std::move(sources));
  must(loop_->open());
  for (auto& follower : followers_) {
    follower.projector = std::make_unique<Projector>(
        log_, *follower.store, follower.make(), [](const auto&, bool, const auto&, const auto&) {});
    must(follower.projector->open());
  }
  schedule(1ms);
}

void SimulatedNode::crash() {
  if (!is_up()) return;
  world_.note(name_ + " dies");
  ++lives_;
  loop_.reset();
  for (auto& follower : followers_) follower.projector.reset();
  log_.lose_power();
  if (!world_.once_in(2)) return;
  store_.lose_power();
  for (auto& follower : followers_) follower.store->lose_power();
}

void SimulatedNode::pause(World::Micros time) {
  world_.note(name_ + " pauses");
  paused_until_ = world_.now() + time;
}

void SimulatedNode::schedule(World::Micros delay) {
  world_.after(delay, [this, life = lives_] {
    if (life == lives_) turn();
  });
}

void SimulatedNode::turn() {
  if (paused_until_ > world_.now() && !world_.calm()) return schedule(50ms);
  const auto turned = loop_->turn(0ms);
  if (!turned && turned.error().code != ErrorCode::kUnavailable) must(turned.error());
  bool busy = turned && *turned;
  for (auto& follower : followers_) {
    const auto followed = follower.projector->follow(0ms);
    if (!followed && followed.error().code != ErrorCode::kUnavailable) must(followed.error());
    busy = busy || (followed && *followed);
  }
  schedule(busy ? world_.between(20us, 500us) : world_.between(1ms, 20ms));
}

void SimulatedNode::must(const Status& done) {
  if (!done) world_.violated("Node " + name_ + " cannot go on: " + done.error().message);
}

bool SimulatedNode::carry_out(CommandRequest request, CommandLoop::OnDone done) {
  if (!is_up()) return false;
  if (world_.has(PlantedBug::kPreconditionIsIgnored)) request.if_match.reset();
  loop_->carry_out(std::move(request), std::move(done));
  return true;
}

bool SimulatedNode::shows(const std::string& stream, const Position& position) const {
  return loop_->projector().view(stream, position).has_value();
}

bool SimulatedNode::is_at_rest() const {
  const auto caught_up = [this](const Projector& projector) {
    for (int partition = 0; partition < topic_.partitions(); ++partition) {
      if (projector.next(partition) < topic_.end(partition)) return false;
    }
    return projector.no_cascade_pending();
  };
  if (!is_up() || loop_->waiting() > 0 || !caught_up(loop_->projector())) return false;
  for (const auto& follower : followers_) {
    if (!caught_up(*follower.projector)) return false;
  }
  return true;
}

const RowReader& SimulatedNode::rows(const std::string& projection) const {
  for (const auto& follower : followers_) {
    if (follower.name == projection) return follower.store->newest();
  }
  return store_.newest();
}

Projection SimulatedNode::with_its_bug(Projection projection) const {
  if (name_ != "node-1") return projection;
  if (world_.has(PlantedBug::kCascadeForgetsATable)) {
    projection.evolve = [evolve = projection.evolve](MutableRows& rows, const Event& event) {
      evolve(rows, event);
      std::erase_if(rows.cascade(), [](const auto& step) { return step.table == Task::kTable; });
    };
  }
  if (world_.has(PlantedBug::kFoldReadsTheClock)) {
    projection.evolve = [this, evolve = projection.evolve](MutableRows& rows, const Event& event) {
      if (!event.is<TaskCompleted>()) return evolve(rows, event);
      auto later = event.get<TaskCompleted>();
      later.completed_date = world_.wall_clock();
      evolve(rows, later);
    };
  }
  return projection;
}

}  // namespace tilth::testing
