// Reports for each scrape whether the service is ready, where the log ends, how far each projection
// has folded it, and how many commands wait.

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
  std::function<std::size_t()> waiting = {};  // commands, if it serves any
};

// Operation: while the end of the log is unknown, neither the end nor a lag is reported.
//
// Threads: any. Its arguments must outlive it.
class ServiceWatch {
 public:
  // `begun`: whether the service has been ready once.
  ServiceWatch(
      EventLog& log, const Clock& clock, std::vector<WatchedProjection> projections,
      std::function<bool()> begun = [] { return true; });

  // Waits up to `timeout` for the end of the log.
  void report(Samples& to,
              std::chrono::milliseconds timeout = std::chrono::milliseconds(250)) const;

 private:
  LogEnds wait_for_ends(std::chrono::milliseconds timeout) const;
  static void report_rebuild(const std::string& name, const ProjectionStanding& standing,
                             const LogEnds& ends, Samples& to);
  void report_lag(const std::string& name, const ProjectionProgress& progress, const LogEnds& ends,
                  Samples& to) const;

  EventLog& log_;
  const Clock& clock_;
  const std::vector<WatchedProjection> projections_;
  const std::function<bool()> begun_;
};

}  // namespace tilth
