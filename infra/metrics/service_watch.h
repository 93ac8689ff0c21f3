// Tells, when Prometheus asks, where the log ends, how far each projection has come, and how many
// commands wait.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "api/operator/projection_state.h"
#include "events/log/event_log.h"
#include "events/values/time.h"
#include "infra/metrics/metrics.h"

namespace tilth {

struct WatchedProjection {
  std::string name;
  std::function<ProjectionStanding()> standing;
  std::function<std::size_t()> waiting = {};  // commands, where it serves any
};

// Operation: while the log does not say where it ends, neither that nor a lag is told.
//
// Threads: any. All that it is given must outlive it.
class ServiceWatch {
 public:
  ServiceWatch(EventLog& log, const Clock& clock, std::vector<WatchedProjection> projections);

  // Waits up to `timeout` for the log.
  void tell(Samples& to, std::chrono::milliseconds timeout = std::chrono::milliseconds(250)) const;

 private:
  LogEnds wait_for_ends(std::chrono::milliseconds timeout) const;
  static void tell_building(const std::string& name, const ProjectionStanding& standing,
                            const LogEnds& ends, Samples& to);
  void tell_lag(const std::string& name, const ProjectionProgress& progress, const LogEnds& ends,
                Samples& to) const;

  EventLog& log_;
  const Clock& clock_;
  const std::vector<WatchedProjection> projections_;
};

}  // namespace tilth
