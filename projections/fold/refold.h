// Folds the log again, into rows of their own, up to where those that are read stand.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "projections/fold/comparison.h"
#include "projections/fold/projector.h"
#include "projections/history/bounded_log.h"

namespace tilth {

// Belongs to one thread at a time. Crash: what is in the store goes on from its checkpoint.
class Refold {
 public:
  // `log` and `store` must outlive it.
  Refold(EventLog& log, ProjectionStore& store, const Projection& projection);

  Status open(OperatorOverrides orders);
  void apply_overrides(OperatorOverrides orders);

  // Folds some of what lies before `ends`, never back; whether it stands there now.
  // Errors: Projector::follow()'s.
  Result<bool> advance(const std::vector<Position>& ends);

  // Whether it has folded what does not lie before `ends`: after a crash the live rows may have
  // been thrown back behind it, until they are folded again.
  bool is_beyond(const std::vector<Position>& ends) const;

  // Holds what it folded against a state of the live rows, up to whose positions it has advanced
  // and not beyond.
  Result<Comparison> compare_with(const RowReader& live, Timestamp now,
                                  const std::function<bool()>& go_on);

  // Where each partition goes on.
  ProjectionProgress progress() const { return projector_.progress(); }

 private:
  BoundedLog part_;
  ProjectionStore& store_;
  const Projection projection_;
  Projector projector_;
};

}  // namespace tilth
