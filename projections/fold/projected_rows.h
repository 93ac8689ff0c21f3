// The rows of a projector: the newest ones, which it folds into, and those that readers see.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "events/log/event_log.h"
#include "events/log/version_gate.h"
#include "projections/fold/progress_tracker.h"
#include "projections/fold/projection.h"
#include "projections/fold/projection_store.h"
#include "projections/fold/visible_rows.h"
#include "projections/rows/derived_cache.h"
#include "projections/rows/lists/list_scan.h"
#include "projections/rows/rows.h"

namespace tilth {

// Rows to read, and the state that keeps them from changing.
struct RowView {
  std::shared_ptr<const RowReader> state;
  Rows rows;
};

// Operation: readers see what is committed, except for two effects of a large removal. While the
// rows of its stream are held, they see the state before it. What lies below the removed rows is
// hidden from then on (visible_rows.h), until it is erased.
//
// Threads: view(), cannot_read() and swept_streams() may be called from any. Everything else
// belongs to the one that follows the log.
//
// Crash: commits survive as the store says. hold() and set_swept() do not.
class ProjectedRows {
 public:
  // `store` must outlive it or its replacement; `projection` and `progress` must outlive it.
  ProjectedRows(ProjectionStore& store, const Projection& projection, ProgressTracker& progress);

  // Switches to the rows of `store`, which are at the same position. Returns whether the former
  // ones could not be read; then nothing is held or hidden any more.
  bool adopt(ProjectionStore& store);
  // Switches to those of `store`, wherever they are, and forgets all about the former ones.
  void start_over(ProjectionStore& store);
  // Faults the projector, if these rows are of the present store.
  void cannot_read(const UnreadableRows& rows);

  // The newest state, including what is hidden. Valid until the next commit.
  const RowReader& stored() const { return store_->newest(); }
  // The newest state without what is hidden. Valid until the next commit or change of that.
  const RowReader& newest() const;
  // A stream's newest rows without what is hidden. Valid as those.
  Rows of(const std::string& stream) const;
  // The same, of a state that does not change.
  std::shared_ptr<const RowReader> snapshot_of(const std::string& stream) const;
  // Of a stream as it is committed. Valid until the next call.
  const StreamHead& head(const std::string& stream) const;
  std::uint64_t version(const std::string& stream) const { return head(stream).version; }

  // kUnavailable: not committed; may be retried.
  Status commit(const RowBatch::Changes& changes);
  // These heads were committed.
  void set_heads(VersionGate::Heads heads);

  // Until release(), readers of the stream see `before`.
  void hold(const std::string& stream, std::shared_ptr<const RowReader> before);
  void release(const std::string& stream);
  // The removed rows of the stream below which rows are hidden; none: nothing of it is hidden.
  // Before the commit that hides rows, and after the one that erases the last of them: a removed
  // row hides nothing while it is there.
  void set_swept(const std::string& stream, std::set<Uuid> removed);
  bool is_swept(const std::string& stream) const { return swept_->contains(stream); }
  std::size_t swept_streams() const;

  // A stream's rows; null until they have reached past `since`. Without a stream, null until those
  // of all streams have.
  std::optional<RowView> view(const std::string& stream,
                              const std::optional<Position>& since) const;

 private:
  std::shared_ptr<const RowReader> visible(std::shared_ptr<const RowReader> rows) const;

  const Projection& projection_;
  ProgressTracker& progress_;
  ProjectionStore* store_;            // readers access it under mutex_
  mutable VersionGate::Heads heads_;  // committed heads of some streams
  mutable DerivedCache cache_;        // of the rows of store_
  mutable ScanCache scanned_;
  mutable std::shared_ptr<const RowReader> visible_;  // newest(), while anything is hidden

  mutable std::mutex mutex_;  // guards what follows; locked before that of progress_
  // What readers see of the streams with a cascade in progress.
  std::map<std::string, std::shared_ptr<const RowReader>> held_;
  // The streams that have hidden rows. Changed by one thread only, which reads it without the lock.
  std::shared_ptr<const SweptStreams> swept_ = std::make_shared<const SweptStreams>();
};

}  // namespace tilth
