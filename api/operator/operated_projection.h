// A projection as operators see and control it. Implemented by app/node/projection_keeper.h.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "projections/fold/comparison.h"
#include "projections/fold/operator_overrides.h"
#include "projections/fold/projection_progress.h"

namespace tilth {

// The generation that is being built, or is ready and waits for the switch.
struct BuildingGeneration {
  int generation = 0;
  ProjectionState state = ProjectionState::kRebuilding;  // kRunning: it waits for the switch
  std::vector<Position> next;
  double events_per_second = 0;
};

struct ProjectionStanding {
  int generation = 1;
  std::optional<int> previous = {};
  ProjectionProgress progress = {};
  std::vector<SkippedEvent> skipped = {};
  std::optional<BuildingGeneration> building = {};
  std::size_t cell = 0;  // which of several cells
  // Of each cell that is held, if there are several.
  std::vector<ProjectionStanding> cells = {};
};

// Port. Threads: any. All but name() and standing() may take a while: never call them on a server
// thread. Operators' changes survive restarts and crashes. `by` is the operator's name, for the log
// lines.
class OperatedProjection {
 public:
  OperatedProjection() = default;
  OperatedProjection(const OperatedProjection&) = delete;
  OperatedProjection& operator=(const OperatedProjection&) = delete;
  virtual ~OperatedProjection() = default;

  virtual const std::string& name() const = 0;
  virtual ProjectionStanding standing() const = 0;

  // Stops the generation that is being built, or else the projection itself. Idempotent.
  virtual Status pause(const std::string& by) = 0;
  // Resumes both.
  virtual Status resume(const std::string& by) = 0;

  // Skips the event at which it is faulted. kConflict: it is not faulted at that one.
  virtual Status skip(Position position, const std::string& by) = 0;

  // Starts building another generation and returns its number; with `manual` it waits for
  // switch_over(). kConflict: one is being built, or waits. kUnavailable: there is no space for it.
  virtual Result<int> rebuild(bool manual, const std::string& by) = 0;

  // Switches to the waiting generation, or back to the previous one. kConflict: there is none.
  virtual Status switch_over(bool to_previous) = 0;

  // Removes the previous generation, if there is one.
  virtual Status release() = 0;

  // Folds the log again and compares. kConflict: a comparison is running.
  virtual Result<Comparison> verify() = 0;
};

}  // namespace tilth
