// The rows of one stream as they will be once its appended records are read. While the log stores a
// record, it is folded here, and the stream's next command is decided on the result.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  // The changes of one record.
  struct Folded {
    std::string id;                                                           // of the record
    std::vector<std::pair<std::string, std::optional<std::string>>> changes;  // null: erased
    std::optional<RowBytes> row;  // that the event is about
    bool of_stream_alone;         // other streams change none of these keys
  };

  // `newest` are the committed rows. They change only by records that were folded here, and by
  // records of other streams.

  // Folds the stream's next record. False: it cannot be folded ahead, since its event removes more
  // than one row; then nothing else can be until all are read.
  bool fold(const RowReader& newest, const Projection& projection, const Record& record,
            const Event& event);

  // The record was read and counts. False: it was not the first of these.
  bool read(const Record& record);

  const Folded* find(std::string_view id) const;

  const RowReader& rows(const RowReader& newest);
  std::size_t size() const { return folded_.size(); }
  bool full() const { return closed_ || rows_.changes().size() > kMostChanges; }

 private:
  static constexpr std::size_t kMostChanges = 20'000;  // keys: some megabytes

  RowBatch rows_;  // the changes of all records since the first
  std::deque<Folded> folded_;
  bool closed_ = false;
};

}  // namespace tilth
