#include "command/loop/row_waiters.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "projections/fold/projector.h"

namespace tilth {

void RowWaiters::prefetch() {
  for (const auto& waiter : for_position_) projector_.prefetch_now(waiter.position);
}

// What is not read yet is known without a view of the rows: thousands may wait for that.
bool RowWaiters::is_reached(const ForPosition& waiter) const {
  return projector_.next(waiter.position.partition) > waiter.position.offset &&
         projector_.view(waiter.stream, waiter.position).has_value();
}

void RowWaiters::notify() {
  if (for_position_.empty()) return;
  const auto ended = std::partition(for_position_.begin(), for_position_.end(),
                                    [&, now = steady_()](const ForPosition& waiter) {
                                      return now < waiter.deadline && !is_reached(waiter);
                                    });
  std::vector<ForPosition> done(std::make_move_iterator(ended),
                                std::make_move_iterator(for_position_.end()));
  for_position_.erase(ended, for_position_.end());
  for (const auto& waiter : done) waiter.done(is_reached(waiter));
}

void RowWaiters::age_rows() {
  for (auto& waiter : std::exchange(for_age_, {})) {
    const bool cascading = projector_.cascading(waiter.stream) && !projector_.faulted();
    const auto finished =
        cascading ? Result<bool>(false) : projector_.age(waiter.stream, waiter.now);
    if (finished && *finished) {
      waiter.done(true);
    } else if (!finished && (projector_.faulted() || waiter.deadline <= steady_())) {
      waiter.done(false);
    } else {
      if (finished) waiter.deadline = steady_() + timeout_;
      for_age_.push_back(std::move(waiter));
    }
  }
}

void RowWaiters::end_all() {
  for (auto& waiter : std::exchange(for_position_, {})) waiter.done(false);
  for (auto& waiter : std::exchange(for_age_, {})) waiter.done(false);
}

}  // namespace tilth
