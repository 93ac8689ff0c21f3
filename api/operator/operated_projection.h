// A projection as operators see it, and what they may order. Adapted by
// app/node/projection_keeper.h.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "projections/fold/comparison.h"
#include "projections/fold/operator_overrides.h"
#include "projections/fold/projector.h"

namespace tilth {

// The generation that is being built, or waits to be switched to.
struct BuildingGeneration {
  int generation = 0;
  ProjectionState state = ProjectionState::kRebuilding;  // kRunning: it waits
  std::vector<Position> next;
  double events_per_second = 0;
};

struct ProjectionStanding {
  int generation = 1;
  std::optional<int> previous = {};
  ProjectionProgress progress = {};
  std::vector<SkippedEvent> skipped = {};
  std::optional<BuildingGeneration> building = {};
};

// Port. Threads: any. All but name() and standing() may take a while: call them aside. What was
// ordered holds over restarts and crashes.
class OperatedProjection {
 public:
  OperatedProjection() = default;
  OperatedProjection(const OperatedProjection&) = delete;
  OperatedProjection& operator=(const OperatedProjection&) = delete;
  virtual ~OperatedProjection() = default;

  virtual const std::string& name() const = 0;
  virtual ProjectionStanding standing() const = 0;

  // A generation that is being built stops, or else the projection itself. Being paused is fine.
  virtual Status pause() = 0;
  // Both go on.
  virtual Status resume() = 0;

  // Passes over the event at which it is faulted. kConflict: it does not stand at that one.
  virtual Status skip(Position position) = 0;

  // Begins to build another generation, and answers its number; with `manual` it waits to be
  // switched to. kConflict: one is being built, or waits. kUnavailable: there is no room for it.
  virtual Result<int> rebuild(bool manual) = 0;

  // To the generation that waits, or back to the former one. kConflict: there is none.
  virtual Status switch_over(bool to_previous) = 0;

  // Removes the former generation, if there is one.
  virtual Status release() = 0;

  // Folds the log again and compares. kConflict: that is being done already.
  virtual Result<Comparison> verify() = 0;
};

}  // namespace tilth
