// The removals of a projector whose cascades take more than one commit, until all is erased.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "projections/fold/cascade.h"
#include "projections/fold/on_record.h"
#include "projections/fold/projected_rows.h"

namespace tilth {

// Operation: a cascade begins in the commit of its event, which erases a part. advance() takes the
// rest out of the lists that stay. Until that is done, readers of the stream see the state before,
// and its record is not reported. The rest is hidden, and sweep() erases it.
//
// Threads: belongs to the one that follows the log.
//
// Crash: the steps of each are stored until it is finished, and resume() finds them. The records
// that waited are not reported any more.
class PendingCascades {
 public:
  struct Unreported {
    LoggedRecord logged;
    bool accepted = false;
    std::optional<Event> event = {};
    std::optional<RowBytes> row = {};
  };
  struct Pending {
    Cascade cascade;
    std::string stored;                       // its steps
    std::shared_ptr<const RowReader> before;  // what readers see until the rest is hidden
    // The records to report afterwards: the one that began the cascade, and those of the same page
    // before it. None after a restart.
    std::vector<Unreported> unreported = {};
  };
  using ByStream = std::map<std::string, Pending>;

  // `budget`: about how many rows and keys are erased at once. `rows` and `on_record` must outlive
  // it.
  PendingCascades(ProjectedRows& rows, std::size_t budget, const OnRecord& on_record)
      : rows_(rows), budget_(budget), on_record_(on_record) {}

  // Whether a cascade is stored in this state of a projection's rows.
  static bool any_in(const RowReader& state);
  // Hides what those that are stored have hidden, and continues them. May throw UnreadableRows.
  void resume();

  // Erases what `rows`, which write to `batch`, cascade to, as far as the budget goes. If something
  // is left, that is stored in `batch`, and added to `begun`.
  void begin(RowBatch& batch, MutableRows& rows, ByStream& begun) const;
  // Before the commit of `begun`, so that no reader sees half of a cascade.
  void hold(const ByStream& begun);
  // It was not committed.
  void release(const ByStream& begun);
  // It was committed, and all other records of its page are reported.
  void add(ByStream begun);

  // Advances those that are not hidden. Returns whether there was any. Errors: of a commit; then
  // nothing is skipped.
  Result<bool> advance();
  // Erases a little of what is hidden, of each stream in turn. Returns whether there was anything.
  // Errors: the same.
  Result<bool> sweep();
  // Erases all that is left of a stream's, which is one of these. Errors: the same.
  Status finish(const std::string& stream);

  bool empty() const { return pending_.empty(); }
  bool contains(const std::string& stream) const { return pending_.contains(stream); }
  // Whether the stream's newest rows are in the middle of one: not all that is left is hidden.
  bool cascading(const std::string& stream) const;

  // They are finished in the rows that are used from now on: reports the records that waited.
  void report_and_clear();
  void clear() { pending_.clear(); }

 private:
  Result<bool> advance(const std::string& stream, std::size_t budget);  // whether it is finished
  void report(std::vector<Unreported> unreported);

  ProjectedRows& rows_;
  const std::size_t budget_;
  const OnRecord& on_record_;
  ByStream pending_;
  std::string swept_last_;
};

}  // namespace tilth
