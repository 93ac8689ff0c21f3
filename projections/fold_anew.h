// Folds the log anew, into rows of their own, up to where those that are read stand: first in bulk,
// then as it grows.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "projections/bulk_fold.h"
#include "projections/comparison.h"
#include "projections/log_part.h"
#include "projections/projector.h"

namespace tilth {

// Belongs to one thread at a time. Crash: what is in the store goes on from its checkpoint.
class FoldAnew {
 public:
  // `log` and `store`, and `bulk`, which is the same store, must outlive it. Without it each page
  // is a commit.
  FoldAnew(EventLog& log, ProjectionStore& store, const Projection& projection,
           BulkStore* bulk = nullptr);

  Status open(StandingOrders orders);
  void obey(StandingOrders orders);

  // Folds some of what lies before `ends`, never back; whether it stands there now.
  // Errors: Projector::follow()'s.
  Result<bool> advance(const std::vector<Position>& ends);

  // Holds what it folded against a state of the live rows, up to whose positions it has advanced
  // and not beyond.
  Result<Comparison> compare_with(const RowReader& live, Timestamp now,
                                  const std::function<bool()>& go_on);

  // Where each partition goes on.
  ProjectionProgress progress() const;

 private:
  EventLog& log_;
  LogPart part_;
  ProjectionStore& store_;
  BulkStore* const bulk_store_;
  const Projection projection_;
  Projector projector_;
  std::unique_ptr<BulkFold> bulk_;  // until it has come to where the live rows stood
  std::uint64_t folded_in_bulk_ = 0;
};

}  // namespace tilth
