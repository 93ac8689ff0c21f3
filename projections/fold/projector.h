// Follows the log and keeps a projection's rows: every record once, in log order, through the
// version gate.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "projections/fold/cascade.h"
#include "projections/fold/fold_rate.h"
#include "projections/fold/operator_overrides.h"
#include "projections/fold/projection.h"
#include "projections/fold/projection_store.h"
#include "projections/rows/derived_cache.h"
#include "projections/rows/idempotency_record.h"
#include "projections/rows/rows.h"

namespace tilth {

// Rows to be read, and what keeps them from changing.
struct RowView {
  std::shared_ptr<const RowReader> state;
  Rows rows;
};

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
  bool held_up = false;               // it cannot go on just now, and tries again
};

// Operation: follow() folds a page of records into one commit: rows, versions, what is remembered
// and the offsets. What a removal takes with it may be much: then it is erased over several
// commits, while readers of that stream see the state before it, and its verdict waits.
//
// Where rows cannot be read it is faulted, too: no command is decided on them, and nothing is
// folded into them. What can be read is shown up to the first event that it would have folded.
// With rows of another store it goes on.
//
// Threads: what is const but rows(), next(), cascading(), settled() and linger(), and wake() and
// cannot_read(), may be called from any; all else belongs to one.
//
// Crash: goes on from the last commit; a sweep that had begun is finished by open().
class Projector {
 public:
  // Hears of every record of the streams it follows, refused ones too, once the rows that follow
  // from it can be read. `row` is the row that the event is about.
  using OnRecord = std::function<void(const LoggedRecord&, bool accepted,
                                      const std::optional<Event>&, std::optional<RowBytes> row)>;

  // `log` must outlive it, and `store` for as long as it has not adopted another.
  Projector(EventLog& log, ProjectionStore& store, Projection projection, OnRecord on_record);

  // Where a state of a projection's rows stands; nothing while a removal is under way in it.
  static std::optional<std::vector<Position>> stands_at(const RowReader& state, int partitions);

  // Reads where it stood.
  //
  //   kLost     the log ends before that; it is not the log that was folded.
  //   kDamaged  where it stood cannot be read.
  Status open();

  // From now on, and before open(): whether it is paused, and which events it passes over. One at
  // which it was faulted is passed over, too.
  void apply_overrides(OperatorOverrides orders);

  // From now on its rows are those of `store`, which stands just where the present ones do. Only
  // while it is settled(). Before open() they need not have anything in common.
  void adopt(ProjectionStore& store);
  // No removal is under way, or none that can come to its end.
  bool settled() const { return cascades_.empty() || unreadable(); }

  // Somebody met these rows. It is faulted if they are its own, and not of a store that it has left
  // by now. Threads: any.
  void cannot_read(const UnreadableRows& rows);
  bool unreadable() const { return unreadable_; }

  // For how long records may come together before the next follow(): none where there was more to
  // read the last time.
  std::chrono::milliseconds linger() const {
    return caught_up_ && settled() ? projection_.linger : std::chrono::milliseconds(0);
  }

  // Waits up to `timeout` until there is something to fold, or to be done, which the next follow()
  // has at once. rows(), next() and cascading() may be called meanwhile, from one other thread at a
  // time. Errors: those of reading, as below.
  Status await(std::chrono::milliseconds timeout);

  // Folds what there is, a page at most, after waiting up to `timeout` for it; whether there was
  // anything to do.
  //
  //   kUnavailable  the log or the store cannot do it just now: ask again, nothing was skipped.
  //                 Or it is paused, and the log has what it would fold.
  //   kLost         the log no longer holds what comes next.
  //   kDamaged      Faulted: a record or an event that cannot be read, which stays so; or rows.
  Result<bool> follow(std::chrono::milliseconds timeout);

  // Lets some of what changes by itself up to `now` pass into a stream's rows (overdue.h), in a
  // commit; whether nothing is left. Not while the stream is being swept. Errors: as above.
  Result<bool> age(const std::string& stream, Timestamp now);

  // A stream's newest rows, for the thread that follows.
  Rows rows(const std::string& stream) const;
  bool cascading(const std::string& stream) const { return cascades_.contains(stream); }
  std::int64_t next(int partition) const;

  // A stream's rows, for any thread; null while they do not reach past `since`.
  std::optional<RowView> view(const std::string& stream,
                              const std::optional<Position>& since = {}) const;

  ProjectionProgress progress() const;
  bool follows(std::string_view stream) const { return projection_.follows(stream); }
  bool faulted() const { return standing_ == Standing::kFaulted; }
  // Paused or faulted.
  bool stands_still() const { return standing_ != Standing::kFollows; }
  // It stands still, and the log holds an event that it would have folded: its rows are old.
  bool lacks_events() const { return lacks_events_; }
  void wake();  // makes a follow() that waits return
  // Somebody waits until the record at `position` is folded.
  void prefetch_now(const Position& position) {
    if (reader_) reader_->prefetch_now(position);
  }

 private:
  // What became of one record of a page.
  struct Folded {
    std::size_t at;  // which one
    bool accepted = false;
    std::optional<Event> event = {};
    std::optional<RowBytes> row = {};
  };
  struct Untold {
    LoggedRecord logged;
    Folded folded;
  };
  struct Unfinished {
    Cascade cascade;
    std::shared_ptr<const RowReader> before;  // what readers see meanwhile
    // What is told of afterwards: the record that began it, and those of the same page before it.
    // None after a restart.
    std::vector<Untold> untold;
  };

  static constexpr std::size_t kCacheBytes = 16 << 20;

  enum class Standing : std::uint8_t { kFollows, kPaused, kFaulted };

  Result<bool> go_on(std::chrono::milliseconds timeout);
  Result<bool> fold_page(std::chrono::milliseconds timeout);
  Result<bool> look_ahead(std::chrono::milliseconds timeout);
  Status read_page(std::chrono::milliseconds timeout);
  using Versions = std::unordered_map<std::string, std::uint64_t>;

  Status fold(RowBatch& batch, Versions& ahead, const LoggedRecord& logged, Folded& folded,
              std::map<std::string, Unfinished>& begun) const;
  void hold(const std::map<std::string, Unfinished>& begun);
  void release(const std::map<std::string, Unfinished>& begun);
  Status advance_cascades();
  Status finish_cascade(const std::string& stream);
  Result<bool> advance_cascade(const std::string& stream);  // whether it is finished
  void set_running();
  void refresh_state();
  void note(const Result<bool>& followed);
  void tell(std::vector<Untold> untold);
  std::optional<Error> fault() const;
  Error fault(Error error, std::optional<Poison> poison = {});
  Status commit(const RowBatch::Changes& changes);
  std::uint64_t version(const std::string& stream) const;
  void publish(std::optional<Timestamp> last_time, std::size_t folded);

  EventLog& log_;
  ProjectionStore* store_;  // readers look at it under mutex_
  const Projection projection_;
  const OnRecord on_record_;
  std::unique_ptr<LogReader> reader_;
  std::vector<LoggedRecord> page_;  // read, not folded yet: the store could not take it
  bool caught_up_ = false;          // the last page was all that there was
  std::map<int, std::int64_t> next_;
  mutable Versions versions_;  // of some streams, as they are committed
  std::map<std::string, Unfinished> cascades_;
  std::uint64_t uncommitted_skips_ = 0;
  bool held_up_ = false;
  OperatorOverrides orders_;
  std::set<std::pair<int, std::int64_t>> passed_over_;  // of the orders
  std::atomic<Standing> standing_ = Standing::kFollows;
  std::atomic<bool> lacks_events_ = false;
  std::atomic<bool> unreadable_ = false;

  mutable DerivedCache cache_{kCacheBytes};  // of the rows of store_

  mutable std::mutex mutex_;         // guards what follows, read by any thread
  std::optional<Error> fault_;       // of an event, or of the log
  std::optional<Error> rows_fault_;  // they cannot be read
  ProjectionProgress progress_;
  // What readers see of the streams that are being swept.
  std::map<std::string, std::shared_ptr<const RowReader>> held_;
};

}  // namespace tilth
