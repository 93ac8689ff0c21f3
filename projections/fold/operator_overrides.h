// Operator overrides of a projection, until they are withdrawn: whether it is paused, and which
// events it skips.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/json/described.h"
#include "events/log/event_log.h"
#include "events/values/time.h"

namespace tilth {

inline constexpr std::string_view kPausedByAnOperator = "Paused by an operator.";

// An event that a projection cannot read.
struct Poison {
  Position position;
  std::string event_id;
};

// An event that is skipped forever, in every generation: its stream continues as if the event had
// changed nothing.
struct SkippedEvent {
  int partition = 0;
  std::int64_t offset = 0;
  std::string event_id;
  std::string reason;  // why it could not be read
  Timestamp skipped_at = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("partition", partition), member("offset", offset), member("eventId", event_id),
       member("reason", reason), member("skippedAt", skipped_at));
  }
};

struct OperatorOverrides {
  bool paused = false;
  std::vector<SkippedEvent> skipped = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("paused", paused), member("skipped", skipped));
  }
};

}  // namespace tilth
