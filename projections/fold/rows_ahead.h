// The rows of one stream as they will be once its appended records are read. While the log stores a
// record, it is folded here, and the stream's next command is decided on the result.

#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "events/log/event_log.h"
#include "projections/fold/projection.h"
#include "projections/rows/row_batch.h"
#include "projections/rows/rows.h"

namespace tilth {

// Each record is kept until it is read, or until the stream turns out otherwise; then all is
// dropped.
//
// Threads: the projector's.
class RowsAhead {
 public:
  // What one record changes.
  struct Folded {
    RowBatch::Changes changes;
    std::optional<RowBytes> row;  // that the event is about
  };

  // `newest` are the committed rows. They change only by records that were folded here, and by
  // records of other streams.

  // Folds the stream's next record. False: it cannot be folded ahead, since its event removes more
  // than one row or forgets requests; then nothing else can be until all are read.
  bool fold(const RowReader& newest, const Projection& projection, const Record& record,
            const Event& event);

  // The record was read and counts. False: it was not the first of these.
  bool read(const Record& record);

  // What the record of that id changes, which is read now. Null: it is not known, or other streams
  // may change the same keys; then fold it again.
  std::optional<Folded> take(std::string_view id);

  // Only while is_whole().
  const RowReader& rows(const RowReader& newest);
  // Whether rows() has the changes of all records: take() may have moved them out.
  bool is_whole() const { return !taken_; }
  std::size_t size() const { return awaited_.size(); }
  bool full() const { return closed_ || taken_ || rows_.changes().size() > kMostChanges; }

 private:
  static constexpr std::size_t kMostChanges = 20'000;  // keys: some megabytes

  struct Awaited {
    std::string id;                            // of the record
    std::optional<RowBatch::Changes> changes;  // null: all of rows_
    std::optional<RowBytes> row;
    bool can_be_taken;  // other streams change none of these keys, and it was not taken yet
  };

  RowBatch rows_;  // the changes of all records since the first
  std::deque<Awaited> awaited_;
  bool closed_ = false;
  bool taken_ = false;
};

}  // namespace tilth
