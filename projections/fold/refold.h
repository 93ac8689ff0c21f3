// Folds the log again, into separate rows, up to the position of the live ones.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "projections/fold/comparison.h"
#include "projections/fold/projector.h"
#include "projections/history/bounded_log.h"

namespace tilth {

// Belongs to one thread at a time. Crash: continues from the checkpoint in the store.
class Refold {
 public:
  // `log` and `store` must outlive it.
  Refold(EventLog& log, ProjectionStore& store, const Projection& projection);

  Status open(OperatorOverrides overrides);
  void apply_overrides(OperatorOverrides overrides);

  // Folds some of the records before `ends`, which never moves back. Returns whether it has reached
  // `ends`. Errors: Projector::follow()'s.
  Result<bool> advance(const std::vector<Position>& ends);

  // Whether it has folded records at or beyond `ends`. After a crash the live rows may have fallen
  // back behind it, until they catch up.
  bool is_beyond(const std::vector<Position>& ends) const;

  // Compares what it folded with a state of the live rows. It must have advanced exactly to the
  // positions of that state.
  Result<Comparison> compare_with(const RowReader& live, Timestamp now,
                                  const std::function<bool()>& go_on);

  // Where each partition continues.
  ProjectionProgress progress() const { return projector_.progress(); }

 private:
  BoundedLog part_;
  ProjectionStore& store_;
  const Projection projection_;
  Projector projector_;
};

}  // namespace tilth
