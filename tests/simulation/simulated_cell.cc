#include "tests/simulation/simulated_cell.h"

#include <utility>

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

}  // namespace

Status SimulatedFollower::open(EventLog& log, Projection projection) {
  projector_ = std::make_unique<Projector>(log, store_, std::move(projection),
                                           [](const auto&, bool, const auto&, const auto&) {});
  return projector_->open();
}

Status SimulatedCell::open(EventLog& log, Projection registry, Projection finance,
                           CommandLoop::Sources sources) {
  loop_ = std::make_unique<CommandLoop>(log, store_, std::move(registry), std::move(sources));
  if (const auto opened = loop_->open(); !opened) return opened;
  return finance_.open(log, std::move(finance));
}

Result<bool> SimulatedCell::turn() {
  const auto turned = loop_->turn(0ms);
  if (!turned && turned.error().code != ErrorCode::kUnavailable) return turned;
  const auto followed = finance_.turn();
  if (!followed && followed.error().code != ErrorCode::kUnavailable) return followed;
  return (turned && *turned) || (followed && *followed);
}

void SimulatedCell::close() {
  loop_.reset();
  finance_.close();
}

void SimulatedCell::lose_power() {
  store_.lose_power();
  finance_.lose_power();
}

}  // namespace tilth::testing
