// How a projection is shown: in the status, in /readyz, and after an operator's change.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/operator/operated_projection.h"
#include "events/log/event_log.h"
#include "events/values/time.h"

namespace tilth {

// The ends of the log, collected on the log's own thread.
struct LogEnds {
  std::map<int, std::optional<std::int64_t>> by_partition;  // null: the log cannot report it
  std::optional<std::string> trouble = {};                  // why the log cannot be read or written

  // How many records there are after `next`, of its partitions.
  std::int64_t lag_among(const std::vector<Position>& next) const;
  // The same for a projection that has read up to there; if it has not begun, all that there are.
  std::int64_t lag_of(const std::vector<Position>& next) const;
  // Whether it is known to have read all of them.
  bool reached_at(const std::vector<Position>& next) const;
};

// Runs `done` on the log's thread, then releases `held`.
void ask_ends(EventLog& log, std::function<void(const LogEnds&)> done,
              std::shared_ptr<void> held = {});

// A row of the status.
std::string projection_json(const OperatedProjection& projection, const LogEnds& ends,
                            Timestamp now);

// Its name, state, reason and lag.
std::string readiness_json(const OperatedProjection& projection, const LogEnds& ends);

// Not paused, faulted or held up.
bool is_ready(const ProjectionProgress& progress);

}  // namespace tilth
