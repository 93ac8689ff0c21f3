// Rows as of an earlier time: folded again from the owner's own history and the reference data.

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

// Makes a store for a fold that is too large for memory. Its files are deleted with it.
using MakeScratchStore = std::function<Result<std::unique_ptr<ProjectionStore>>()>;

// What a fold of the past needs; all of it must outlive the fold.
struct PastSources {
  EventLog& log;
  StreamIndex& index;
  Projection projection;
  MakeScratchStore make_scratch;
  std::size_t most_events = 1'000'000;      // of both streams together
  std::size_t changes_in_memory = 200'000;  // keys: some tens of megabytes
  // The operator overrides of the projection: an event that it skips is skipped here, too.
  std::function<OperatorOverrides()> orders = [] { return OperatorOverrides{}; };
};

// The rows of `owner` as of `at`, with the reference data of that time: folded from the events up
// to and including `at`, in log order up to the first later one. With `aged`, their lists are as of
// that instant, too (overdue.h). Blocks the thread for a while; memory is bounded. Calls `go_on`
// from time to time.
//
//   kAsOfLimitExceeded  there are more events than may be folded.
//   kUnavailable        the log cannot be read just now, or `go_on` returned false.
//   kDamaged, kLost     an event, or the index of its position, cannot be read.
Result<RowView> fold_past(const PastSources& from, const std::string& owner, Timestamp at,
                          bool aged, const std::function<bool()>& go_on);

}  // namespace tilth
