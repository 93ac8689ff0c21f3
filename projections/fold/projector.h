// Follows the log and keeps a projection's rows: every record once, in log order, through the
// version gate.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "events/log/version_gate.h"
#include "projections/fold/on_record.h"
#include "projections/fold/operator_overrides.h"
#include "projections/fold/pending_cascades.h"
#include "projections/fold/progress_tracker.h"
#include "projections/fold/projected_rows.h"
#include "projections/fold/projection.h"
#include "projections/fold/projection_progress.h"
#include "projections/fold/projection_store.h"
#include "projections/fold/rows_ahead.h"
#include "projections/rows/idempotency_record.h"
#include "projections/rows/rows.h"

namespace tilth {

// Operation: follow() folds a page of records into one commit: rows, versions, idempotency records
// and offsets. A large cascade is erased over several commits. Until it has left the lists that
// stay, readers of that stream see the state before it, and its verdict waits. The rest is hidden
// (visible_rows.h), and erased while there is nothing to fold.
//
// If rows cannot be read it is faulted, too: no command is decided on them, and nothing is folded
// into them. Readable rows are shown up to the first event that it would have folded. It continues
// with the rows of another store.
//
// Threads: wake(), cannot_read() and the const members may be called from any, except rows(),
// folded_ahead(), next(), cascading(), no_cascade_pending() and linger(). These and everything else
// belong to one.
//
// Crash: continues from the last commit; open() finishes a cascade that had begun, as far as it is
// not hidden.
class Projector {
 public:
  // `log` must outlive it, and `store` until it has adopted another.
  Projector(EventLog& log, ProjectionStore& store, Projection projection, OnRecord on_record);

  // The position of a state of a projection's rows in these partitions; nothing while a cascade is
  // in progress in it.
  static std::optional<std::vector<Position>> checkpoint_of(const RowReader& state,
                                                            const std::vector<int>& partitions);

  // Reads the position at which it stopped.
  //
  //   kLost     the log ends before that; it is not the log that was folded.
  //   kDamaged  the position cannot be read.
  Status open();

  // From now on, and before open(): whether it is paused, and which events it skips. If it was
  // faulted at one of those, it skips that, too.
  void apply_overrides(const OperatorOverrides& overrides) { progress_.apply_overrides(overrides); }

  // Switches to the rows of `store`, which must be at the same position as the present ones. Only
  // while no_cascade_pending(). Before open() the two need not have anything in common.
  void adopt(ProjectionStore& store);
  // Forgets all that it has read: it has read nothing until open(), which begins with the rows of
  // `store`. Not during a follow().
  void start_over(ProjectionStore& store);
  // No cascade is in progress, or none that can finish.
  bool no_cascade_pending() const { return cascades_.empty() || unreadable(); }

  // Reports rows that could not be read. The projector is faulted if they are its own, and not of a
  // store that it no longer uses. Threads: any.
  void cannot_read(const UnreadableRows& rows) { rows_.cannot_read(rows); }
  bool unreadable() const { return progress_.unreadable(); }

  // How long records may linger before the next follow(): zero if there was more to read the last
  // time.
  std::chrono::milliseconds linger() const {
    return caught_up_ && no_cascade_pending() ? projection_.linger : std::chrono::milliseconds(0);
  }

  // Folds what there is, a page at most, after waiting up to `timeout` for it. Returns whether
  // there was anything to do.
  //
  //   kUnavailable  the log or the store cannot do it just now: retry, nothing was skipped. Or it
  //                 is paused, and the log has a record that it would fold.
  //   kLost         the log no longer holds the next record.
  //   kDamaged      Faulted: a record or an event cannot be read, which stays so; or rows cannot.
  Result<bool> follow(std::chrono::milliseconds timeout);

  // Applies some of the changes by time up to `now` to a stream's rows (overdue.h), in a commit.
  // Returns whether nothing is left. Not while the stream has a cascade. Errors: as above.
  Result<bool> age(const std::string& stream, Timestamp now);

  // Folds a record that was appended and not read yet, so that less is left to do when it is read.
  // False: not this record. What is decided on rows_ahead() must not count if another record takes
  // its version.
  bool fold_ahead(const Record& record);
  // How many records of the stream are folded ahead, and its rows with them.
  std::size_t folded_ahead(const std::string& stream) const;
  Rows rows_ahead(const std::string& stream);
  // Whether those records are ever read is not known.
  void drop_ahead(const std::string& stream) { ahead_.erase(stream); }

  // Stores how far it has read, though it has folded nothing since: after the next start it is not
  // read again. The error, after which it is: kUnavailable.
  Status keep_place();

  // A stream's newest rows, for the following thread.
  Rows rows(const std::string& stream) const { return rows_.of(stream); }
  // Whether its newest rows are those in the middle of a cascade.
  bool cascading(const std::string& stream) const { return cascades_.cascading(stream); }
  std::int64_t next(int partition) const;

  // A stream's rows, for any thread; null until they have reached past `since`. Without a stream,
  // null until those of all streams have.
  std::optional<RowView> view(const std::string& stream,
                              const std::optional<Position>& since = {}) const {
    return rows_.view(stream, since);
  }

  ProjectionProgress progress() const;
  bool has_read_any() const { return progress_.has_read_any(); }
  bool follows(std::string_view stream) const { return projection_.follows(stream); }
  bool reads(int partition) const { return projection_.reads(partition); }
  bool faulted() const { return progress_.faulted(); }
  // Paused or faulted.
  bool is_halted() const { return progress_.is_halted(); }
  // It is paused or faulted, and the log holds an event that it would have folded: its rows are
  // old.
  bool lacks_events() const { return progress_.lacks_events(); }
  void wake();  // makes a follow() that is waiting return
  // A caller waits until the record at `position` is folded.
  void prefetch_now(const Position& position) {
    if (reader_) reader_->prefetch_now(position);
  }

 private:
  // The result of folding one record of a page.
  struct Folded {
    std::size_t at;  // which one
    bool accepted = false;
    std::optional<Event> event = {};
    std::optional<RowBytes> row = {};
    bool meets_leftovers = false;  // it cannot be folded before the stream's cascade is finished
  };
  // What the records of a page become, until it is committed.
  struct PageFold {
    PageFold(const RowReader& rows, std::map<int, std::int64_t> from)
        : batch(rows), next(std::move(from)) {}

    RowBatch batch;
    std::vector<Folded> records = {};
    VersionGate::Heads heads = {};
    PendingCascades::ByStream begun = {};
    std::map<int, std::int64_t> next;
    std::size_t taken = 0;               // of the page
    std::size_t read = 0;                // with those that the log has left out
    std::optional<Error> poisoned = {};  // why the record after those that are taken was not
  };

  Result<bool> go_on(std::chrono::milliseconds timeout);
  Result<bool> fold_page(std::chrono::milliseconds timeout);
  Result<bool> look_ahead(std::chrono::milliseconds timeout);
  Status read_page(std::chrono::milliseconds timeout);
  std::optional<std::string> fold_records(PageFold& folding);
  Result<Folded> fold(PageFold& folding, const LoggedRecord& logged);
  Status commit(PageFold& folding);
  void report(PageFold& folding);
  Status fold_event(RowBatch& batch, MutableRows& rows, const LoggedRecord& logged, Folded& folded);
  std::optional<RowsAhead::Folded> take_ahead(const Record& record);
  void note_read(const Record& record);

  EventLog& log_;
  const Projection projection_;
  const OnRecord on_record_;
  ProgressTracker progress_;
  ProjectedRows rows_;
  PendingCascades cascades_;
  std::unique_ptr<LogReader> reader_;  // replaced under waking_
  std::mutex waking_;
  std::vector<LoggedRecord> page_;  // read, not folded yet: the store could not take it
  bool caught_up_ = false;          // the last page reached the end of the log
  std::map<int, std::int64_t> next_;
  std::size_t pages_since_sweep_ = 0;
  std::map<std::string, RowsAhead> ahead_;  // by stream
  std::uint64_t uncommitted_skips_ = 0;
};

}  // namespace tilth
