#include "projections/fold/refold.h"

#include <algorithm>
#include <utility>

namespace tilth {
namespace {

// A refold continues while the live rows are paused.
OperatorOverrides without_pause(OperatorOverrides overrides) {
  overrides.paused = false;
  return overrides;
}

}  // namespace

Refold::Refold(EventLog& log, ProjectionStore& store, const Projection& projection)
    : part_(log),
      store_(store),
      projection_(projection),
      projector_(part_, store, projection, [](const auto&...) {}) {}

Status Refold::open(OperatorOverrides overrides) {
  projector_.apply_overrides(without_pause(std::move(overrides)));
  return projector_.open();
}

void Refold::apply_overrides(OperatorOverrides overrides) {
  projector_.apply_overrides(without_pause(std::move(overrides)));
}

Result<bool> Refold::advance(const std::vector<Position>& ends) {
  part_.end_before(ends);
  const auto folded = projector_.follow(std::chrono::milliseconds(0));
  if (!folded) return folded.error();
  const bool there = std::all_of(ends.begin(), ends.end(), [this](const Position& end) {
    return projector_.next(end.partition) >= end.offset;
  });
  return there && projector_.no_cascade_pending();
}

bool Refold::is_beyond(const std::vector<Position>& ends) const {
  return std::any_of(ends.begin(), ends.end(), [this](const Position& end) {
    return projector_.next(end.partition) > end.offset;
  });
}

Result<Comparison> Refold::compare_with(const RowReader& live, Timestamp now,
                                        const std::function<bool()>& go_on) {
  const auto age_again = [&](const std::string& stream) -> Status {
    while (true) {
      const auto finished = projector_.age(stream, now);
      if (!finished) return finished.error();
      if (*finished) return kDone;
      if (!go_on()) return Error{ErrorCode::kUnavailable, "The comparison was stopped."};
    }
  };
  const auto fresh = [this]() -> const RowReader& { return store_.newest(); };
  return compare(projection_, {live, fresh, age_again, now}, go_on);
}

}  // namespace tilth
