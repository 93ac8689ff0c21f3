// Rows as they stood at an earlier time: folded again from the owner's own history, and from what
// all owners read.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "events/log/event_log.h"
#include "projections/fold/operator_overrides.h"
#include "projections/fold/projection.h"
#include "projections/fold/projection_store.h"
#include "projections/fold/projector.h"
#include "projections/history/stream_index.h"

namespace tilth {

// Where to fold what is too large for memory; goes with the store.
using MakeScratchStore = std::function<Result<std::unique_ptr<ProjectionStore>>()>;

// What a fold of the past needs; all of it outlives the fold.
struct PastSources {
  EventLog& log;
  StreamIndex& index;
  Projection projection;
  MakeScratchStore make_scratch;
  std::size_t most_events = 1'000'000;      // of both streams together
  std::size_t changes_in_memory = 200'000;  // keys: some tens of megabytes
  // What operators ordered of the projection: an event that it passes over is passed over here,
  // too.
  std::function<OperatorOverrides()> orders = [] { return OperatorOverrides{}; };
};

// The rows of `owner` as of `at`, with the reference data of then: what the events say that
// happened up to and including it, in the order of the log up to the first later one. With `aged`
// they tell of that instant in their lists, too (overdue.h). Takes a thread for a while; its memory
// is bounded. `go_on` is asked from time to time.
//
//   kAsOfLimitExceeded  there are more events than may be folded.
//   kUnavailable        the log cannot be read just now, or `go_on` said no.
//   kDamaged, kLost     an event cannot be read, or where it lies.
Result<RowView> fold_past(const PastSources& from, const std::string& owner, Timestamp at,
                          bool aged, const std::function<bool()>& go_on);

}  // namespace tilth
