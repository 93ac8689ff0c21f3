// What is shown of a projection: in the status, in /readyz, and after an order.

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

// The ends of the log, collected from the log's own thread.
struct LogEnds {
  std::map<int, std::optional<std::int64_t>> by_partition;  // null: the log does not say
  std::optional<std::string> trouble = {};                  // … or takes nothing, and why not

  // All of a partition that is not named is still to come.
  std::int64_t lag_of(const std::vector<Position>& next) const;
  // Whether the log is known to hold nothing from there on.
  bool reached_at(const std::vector<Position>& next) const;
};

// Runs `done` on the log's thread, and lets go of `held` after that.
void ask_ends(EventLog& log, std::function<void(const LogEnds&)> done,
              std::shared_ptr<void> held = {});

// A row of the status.
std::string projection_json(const OperatedProjection& projection, const LogEnds& ends,
                            Timestamp now);

// Its name, state, reason and lag.
std::string readiness_json(const OperatedProjection& projection, const LogEnds& ends);

// Neither paused nor faulted, nor held up.
bool is_ready(const OperatedProjection& projection);

}  // namespace tilth
