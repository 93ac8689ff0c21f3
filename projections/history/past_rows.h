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
#include "projections/rows/row_spill.h"

namespace tilth {

// Makes a store for a fold that is too large for memory. Its files are deleted with it.
using MakeScratchStore = std::function<Result<std::unique_ptr<ProjectionStore>>()>;

// Makes a place for the rows of a fold that is too large for memory.
using MakeRowSpill = std::function<Result<std::unique_ptr<RowSpill>>()>;

// What a fold of the past needs; all of it must outlive the fold.
struct PastSources {
  EventLog& log;
  StreamIndex& index;
  Projection projection;
  MakeRowSpill make_spill;                     // for rows
  MakeScratchStore make_scratch;               // for everything else
  std::size_t most_events = 1'000'000;         // of both streams together
  std::size_t row_bytes_in_memory = 32 << 20;  // of a stream; and some 130 bytes for each row
  std::size_t keys_in_memory = 200'000;        // of everything else: some tens of megabytes
  // The operator overrides of the projection: an event that it skips is skipped here, too.
  std::function<OperatorOverrides()> overrides = [] { return OperatorOverrides{}; };
};

// Thrown by the rows of the past when `go_on` returns false while they build a list.
struct PastNotWanted {};

// The rows of `owner` as of `at`, with the reference data of that time: folded from the events up
// to and including `at`, in log order up to the first later one. With `aged`, their lists are as of
// that instant, too (overdue.h). Blocks the thread for a while; memory is bounded, as PastSources
// says. Calls `go_on` from time to time, and goes on doing so while the rows are read: one thread
// at a time may read them.
//
//   kAsOfLimitExceeded  there are more events than may be folded.
//   kUnavailable        the log cannot be read just now, or `go_on` returned false.
//   kDamaged, kLost     an event, or the index of its position, cannot be read.
Result<RowView> fold_past(const PastSources& from, const std::string& owner, Timestamp at,
                          bool aged, const std::function<bool()>& go_on);

}  // namespace tilth
