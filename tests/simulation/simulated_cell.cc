#include "tests/simulation/simulated_cell.h"

#include <utility>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

}  // namespace

Status SimulatedFollower::open(SimulatedLog& log, Projection projection,
                               CommandLoop::Sources sources) {
  followed_ = log.only(projection.follows);
  loop_ =
      std::make_unique<CommandLoop>(*followed_, store_, std::move(projection), std::move(sources));
  return loop_->open();
}

Status SimulatedCell::open(SimulatedLog& log, Projection registry, Projection finance,
                           CommandLoop::Sources sources, CommandLoop::Limits limits) {
  followed_ = log.only(registry.follows);
  registry_ = registry;
  now_ = sources.now;
  auto its = sources;
  its.due = {};
  its.on_accepted = nullptr;
  loop_ = std::make_unique<CommandLoop>(*followed_, *store_, std::move(registry),
                                        std::move(sources), limits);
  if (const auto opened = loop_->open(); !opened) return opened;
  if (rebuilding()) {
    if (const auto opened = open_refold(); !opened) return opened;
  }
  return finance_.open(log, std::move(finance), std::move(its));
}

Result<bool> SimulatedCell::turn() {
  const auto turned = loop_->turn(0ms);
  if (!turned && turned.error().code != ErrorCode::kUnavailable) return turned;
  const auto followed = finance_.turn();
  if (!followed && followed.error().code != ErrorCode::kUnavailable) return followed;
  const auto built = rebuilding() ? build_on() : Result<bool>(false);
  if (!built && built.error().code != ErrorCode::kUnavailable) return built;
  return (turned && *turned) || (followed && *followed) || (built && *built);
}

void SimulatedCell::apply(const OperatorOverrides& orders) {
  loop_->projector().apply_overrides(orders);
  finance_.projector().apply_overrides(orders);
  if (refold_) refold_->apply_overrides(orders);
}

Status SimulatedCell::rebuild() {
  if (rebuilding()) return kDone;
  building_ = std::make_unique<SimulatedStore>(world_);
  return open_refold();
}

Status SimulatedCell::open_refold() {
  refold_ = std::make_unique<Refold>(*followed_, *building_, registry_);
  return refold_->open({});
}

// As the thread of a rebuild does on the loop's thread when it switches.
Result<bool> SimulatedCell::build_on() {
  auto& live = loop_->projector();
  const auto ends = live.progress().next;
  if (refold_->is_beyond(ends)) return false;
  const auto there = refold_->advance(ends);
  if (!there) return there;
  const bool early = world_.has(PlantedBug::kSwitchIsTooEarly) && live.no_cascade_pending();
  if (!early && (!*there || !live.no_cascade_pending())) return true;
  if (!early) {
    const auto compared = refold_->compare_with(store_->newest(), now_(), [] { return true; });
    if (!compared) return compared.error();
    for (const auto& each : compared->differences) {
      world_.violated("A generation that was built again has other rows than the live one: " +
                      each.what + " of " + each.stream);
    }
  }
  world_.note("a cell switches to rows that were built again");
  live.adopt(*building_);
  refold_.reset();
  store_ = std::move(building_);
  return true;
}

void SimulatedCell::close() {
  refold_.reset();
  loop_.reset();
  finance_.close();
}

void SimulatedCell::lose_power() {
  store_->lose_power();
  if (rebuilding()) building_->lose_power();
  finance_.lose_power();
}

}  // namespace tilth::testing
