// Who waits in a command loop without having ordered anything: for a position, or for rows to age.

#include <utility>

#include "command/command_loop.h"

namespace tilth {

void CommandLoop::when_reached(std::string stream, Position position,
                               std::chrono::milliseconds patience, std::function<void(bool)> done) {
  inbox_->post([this, waiter = Waiter{std::move(stream), position, Steady::now() + patience,
                                      std::move(done)}] { waiters_.push_back(waiter); });
}

void CommandLoop::when_aged(std::string stream, Timestamp now, std::function<void(bool)> done) {
  inbox_->post([this, aging = Aging{std::move(stream), now, Steady::now() + limits_.patience,
                                    std::move(done)}] { aging_.push_back(aging); });
}

// A batch of each stream that is asked for, so that nobody waits for all of another's rows.
void CommandLoop::age_rows() {
  for (auto& aging : std::exchange(aging_, {})) {
    const bool sweeping = projector_.sweeping(aging.stream) && !projector_.faulted();
    const auto finished = sweeping ? Result<bool>(false) : projector_.age(aging.stream, aging.now);
    if (finished && *finished) {
      aging.done(true);
    } else if (!finished && (projector_.faulted() || aging.until <= Steady::now())) {
      aging.done(false);
    } else {
      if (finished) aging.until = Steady::now() + limits_.patience;
      aging_.push_back(std::move(aging));
    }
  }
}

void CommandLoop::tell_waiters() {
  if (waiters_.empty()) return;
  for (auto& waiter : std::exchange(waiters_, {})) {
    const bool reached = projector_.view(waiter.stream, waiter.position).has_value();
    if (reached || waiter.until <= Steady::now()) {
      waiter.done(reached);
    } else {
      waiters_.push_back(std::move(waiter));
    }
  }
}

}  // namespace tilth
