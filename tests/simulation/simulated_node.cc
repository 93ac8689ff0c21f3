#include "tests/simulation/simulated_node.h"

#include <algorithm>
#include <utility>

#include "command/work/due_rules.h"
#include "events/log/streams.h"
#include "projections/rows/stored_head.h"
#include "projections/work/task.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMostCells = 3;

}  // namespace

SimulatedNode::SimulatedNode(World& world, SimulatedTopic& topic, std::string name)
    : world_(world),
      topic_(topic),
      name_(std::move(name)),
      skew_(world.below(400)),
      log_(world, topic),
      market_(world) {
  if (name_ == "node-1" && world.has(PlantedBug::kNodeMissesPredecessors)) log_.miss_predecessors();
  divide();
  start();
}

// A machine has more processors now than before. Rows of another layout are dropped.
void SimulatedNode::divide() {
  layout_ = std::make_unique<CellLayout>(log_, static_cast<int>(1 + world_.below(kMostCells)));
  cells_.clear();
  for (int cell = 0; cell < layout_->cells(); ++cell) {
    cells_.push_back(std::make_unique<SimulatedCell>(world_));
  }
  stalled_until_.assign(cells_.size(), {});
}

void SimulatedNode::start() {
  world_.note(name_ + " starts with " + std::to_string(cells_.size()) + " cells");
  ++lives_;
  std::vector<CommandLoop*> loops;
  for (int cell = 0; cell < layout_->cells(); ++cell) {
    CommandLoop::Sources sources{
        .node = name_,
        .now = [this] { return Timestamp{world_.wall_clock().at + skew_}; },
        .new_id = [this] { return world_.uuid(); },
        .due = decide_due,
        .steady = [this] { return world_.now(); }};
    auto& its = *cells_[static_cast<std::size_t>(cell)];
    must(its.open(log_, with_its_bug(layout_->part_of(registry(), cell), cell),
                  layout_->part_of(finance(), cell), std::move(sources)));
    its.apply(orders_);
    loops.push_back(&its.loop());
  }
  must(market_.open(log_, market()));
  all_ = std::make_unique<Cells>(*layout_, std::move(loops));
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) schedule(cell, 1ms);
}

void SimulatedNode::crash() {
  if (!is_up()) return;
  world_.note(name_ + " dies");
  ++lives_;
  all_->stop_waiting();
  for (auto& cell : cells_) cell->close();
  market_.close();
  all_.reset();
  log_.lose_power();
  if (world_.once_in(8)) return divide();
  if (!world_.once_in(2)) return;
  for (auto& cell : cells_) cell->lose_power();
  market_.lose_power();
}

void SimulatedNode::pause(World::Micros time) {
  world_.note(name_ + " pauses");
  paused_until_ = world_.now() + time;
}

void SimulatedNode::stall_a_cell(World::Micros time) {
  const auto cell = world_.below(cells_.size());
  world_.note(name_ + " has no processor for cell " + std::to_string(cell));
  stalled_until_[cell] = world_.now() + time;
}

void SimulatedNode::order(bool paused) {
  if (orders_.paused == paused) return;
  world_.note(name_ + (paused ? " is ordered to stand still" : " is ordered to go on"));
  orders_.paused = paused;
  last_ordered_ = world_.now();
  if (!is_up()) return;
  for (auto& cell : cells_) cell->apply(orders_);
}

void SimulatedNode::rebuild_a_cell() {
  if (!is_up()) return;
  const auto cell = world_.below(cells_.size());
  world_.note(name_ + " builds cell " + std::to_string(cell) + " again");
  must(cells_[cell]->rebuild());
}

void SimulatedNode::schedule(std::size_t cell, World::Micros delay) {
  world_.after(delay, [this, cell, life = lives_] {
    if (life == lives_) turn(cell);
  });
}

void SimulatedNode::turn(std::size_t cell) {
  const auto until = std::max(paused_until_, stalled_until_[cell]);
  if (until > world_.now() && !world_.calm()) return schedule(cell, 50ms);
  const auto turned = cells_[cell]->turn();
  if (!turned) must(turned.error());
  bool busy = turned && *turned;
  if (cell == 0) {
    const auto followed = market_.turn();
    if (!followed && followed.error().code != ErrorCode::kUnavailable) must(followed.error());
    busy = busy || (followed && *followed);
  }
  const auto idle = 10ms * (1 + cells_.size());
  schedule(cell, busy ? world_.between(20us, 500us) : world_.between(1ms, idle));
}

void SimulatedNode::must(const Status& done) {
  if (!done) world_.violated("Node " + name_ + " cannot go on: " + done.error().message);
}

bool SimulatedNode::carry_out(CommandRequest request, CommandLoop::OnDone done) {
  if (!is_up()) return false;
  if (world_.has(PlantedBug::kPreconditionIsIgnored)) request.if_match.reset();
  // What a process that dies has found out reaches no client.
  auto told = [this, life = lives_, done = std::move(done)](const Result<CommandResult>& result) {
    if (life == lives_) return done(result);
    done(Error{.code = ErrorCode::kUnavailable,
               .message = "The node has died.",
               .retry_after_seconds = 1});
  };
  const bool elsewhere =
      world_.has(PlantedBug::kOwnersAreDealtOtherwise) && cells_.size() > 1 && name_ == "node-1";
  if (elsewhere) {
    const auto own = all_->number_of(request.stream);
    all_->at((own + 1) % cells_.size()).carry_out(std::move(request), std::move(told));
  } else if (world_.has(PlantedBug::kOneCellIsWaitedFor)) {
    all_->of(request.stream).carry_out(std::move(request), std::move(told));
  } else {
    all_->carry_out(std::move(request), std::move(told));
  }
  return true;
}

bool SimulatedNode::shows(const std::string& stream, const Position& position) const {
  if (stream != kReferenceStream) return all_->has_reached(stream, position);
  return std::ranges::all_of(all_->held(), [&](const auto cell) {
    const auto& projector = all_->at(cell).projector();
    return projector.is_halted() || projector.view(stream, position).has_value();
  });
}

void SimulatedNode::read(const std::string& stream, const Position& since,
                         std::function<void(std::optional<std::uint64_t>)> done) {
  if (!is_up()) return done(std::nullopt);
  const auto then = [this, stream, since, life = lives_, done](bool reached) {
    if (!reached || life != lives_) return done(std::nullopt);
    const auto& projector = all_->of(stream).projector();
    const auto view = world_.has(PlantedBug::kReadDoesNotWait) ? projector.view(stream)
                                                               : projector.view(stream, since);
    if (!view) return done(0);
    const auto head = view->rows.own(view->rows.own_key('v'));
    done(head ? read_stored_head(*head).version : 0);
  };
  if (world_.has(PlantedBug::kReadDoesNotWait)) return then(true);
  all_->when_reached(stream, since, 5s, then);
}

bool SimulatedNode::is_caught_up(const Projector& projector) const {
  for (int partition = 0; partition < topic_.partitions(); ++partition) {
    if (!projector.reads(partition)) continue;
    if (projector.next(partition) < topic_.end(partition)) return false;
  }
  return projector.no_cascade_pending();
}

bool SimulatedNode::is_at_rest() const {
  if (!is_up() || all_->waiting() > 0 || !is_caught_up(market_.projector())) return false;
  return std::ranges::all_of(cells_, [this](const auto& cell) {
    return !cell->rebuilding() && is_caught_up(cell->loop().projector()) &&
           is_caught_up(cell->finance().projector());
  });
}

std::vector<const RowReader*> SimulatedNode::rows(const std::string& projection) const {
  if (projection == "market") return {&market_.rows()};
  std::vector<const RowReader*> rows;
  for (const auto& cell : cells_) {
    rows.push_back(projection == "finance" ? &cell->finance().rows() : &cell->rows());
  }
  return rows;
}

Projection SimulatedNode::with_its_bug(Projection projection, int cell) const {
  if (name_ != "node-1") return projection;
  if (world_.has(PlantedBug::kCellFollowsTooMuch) && cell == 0)
    projection.follows = registry().follows;
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
