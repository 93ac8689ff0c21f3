// The check of the event log as operators see and control it. Implemented by app/node/log_check.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/values/time.h"

namespace tilth {

struct LogCheckStanding {
  bool running = false;
  std::int64_t checked = 0;  // records, by the running check or the last one
  std::int64_t total = 0;
  std::optional<Timestamp> finished_at = {};  // of the last check that came to a result
  std::optional<std::string> damage = {};     // which it found
  std::optional<std::string> failure = {};    // why no check has come to a result since
};

// Port. Threads: any.
class OperatedLogCheck {
 public:
  OperatedLogCheck() = default;
  OperatedLogCheck(const OperatedLogCheck&) = delete;
  OperatedLogCheck& operator=(const OperatedLogCheck&) = delete;
  virtual ~OperatedLogCheck() = default;

  virtual LogCheckStanding standing() const = 0;

  // Starts a check, or makes the one that is running hurry. It is running when this returns.
  virtual void begin() = 0;
};

}  // namespace tilth
