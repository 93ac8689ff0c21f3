#include "projections/fold_anew.h"

#include <algorithm>
#include <utility>

namespace tilth {
namespace {

// It folds whatever the live rows stand still before.
StandingOrders without_pause(StandingOrders orders) {
  orders.paused = false;
  return orders;
}

}  // namespace

FoldAnew::FoldAnew(EventLog& log, ProjectionStore& store, const Projection& projection,
                   BulkStore* bulk)
    : log_(log),
      part_(log),
      store_(store),
      bulk_store_(bulk),
      projection_(projection),
      projector_(part_, store, projection, [](const auto&...) {}) {}

Status FoldAnew::open(StandingOrders orders) {
  projector_.obey(without_pause(orders));
  // A removal that was under way is finished by the projector.
  const bool may = bulk_store_ && Projector::stands_at(*bulk_store_->state(), log_.partitions());
  if (!may) return projector_.open();
  bulk_ = std::make_unique<BulkFold>(log_, *bulk_store_, projection_, orders);
  return kDone;
}

void FoldAnew::obey(StandingOrders orders) { projector_.obey(without_pause(std::move(orders))); }

Result<bool> FoldAnew::advance(const std::vector<Position>& ends) {
  if (bulk_) {
    const auto finished = bulk_->advance(ends);
    if (!finished || !*finished) return finished;
    folded_in_bulk_ = bulk_->folded();
    bulk_.reset();
    if (const auto begun = projector_.open(); !begun) return begun.error();
  }
  part_.end_before(ends);
  const auto folded = projector_.follow(std::chrono::milliseconds(0));
  if (!folded) return folded.error();
  const bool there = std::all_of(ends.begin(), ends.end(), [this](const Position& end) {
    return projector_.next(end.partition) >= end.offset;
  });
  return there && projector_.settled();
}

ProjectionProgress FoldAnew::progress() const {
  auto progress = projector_.progress();
  if (bulk_) {
    progress.next = bulk_->next();
    progress.folded = bulk_->folded();
  } else {
    progress.folded += folded_in_bulk_;
  }
  return progress;
}

Result<Comparison> FoldAnew::compare_with(const RowReader& live, Timestamp now,
                                          const std::function<bool()>& go_on) {
  const auto age_anew = [&](const std::string& stream) -> Status {
    while (true) {
      const auto finished = projector_.age(stream, now);
      if (!finished) return finished.error();
      if (*finished) return kDone;
      if (!go_on()) return Error{ErrorCode::kUnavailable, "The comparison was stopped."};
    }
  };
  return compare(projection_, {live, store_.newest(), age_anew, now}, go_on);
}

}  // namespace tilth
