// How far a projection has folded its log, and what stops it, as operators read it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/json/described.h"
#include "events/log/event_log.h"
#include "events/values/time.h"
#include "projections/fold/fold_rate.h"
#include "projections/fold/operator_overrides.h"

namespace tilth {

enum class ProjectionState : std::uint8_t { kRunning, kCatchingUp, kRebuilding, kPaused, kFaulted };

constexpr auto labels(ProjectionState) {
  return named<ProjectionState>("running", "catching_up", "rebuilding", "paused", "faulted");
}

struct ProjectionProgress {
  ProjectionState state = ProjectionState::kCatchingUp;
  std::string reason;                  // why it is faulted or paused, or held up
  std::vector<Position> next;          // of each partition, the first record that is not folded yet
  std::optional<Timestamp> last_time;  // of the last record that was folded
  std::uint64_t folded = 0;            // records since the start
  FoldRate pace = FoldRate();
  std::optional<Poison> poison = {};  // the event at which it is faulted
  bool held_up = false;               // it cannot continue just now, and retries
  std::size_t swept_streams = 0;      // that still have hidden rows of removals
};

}  // namespace tilth
