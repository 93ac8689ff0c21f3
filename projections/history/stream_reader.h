// Reads the accepted records of one stream in order, wherever they are in the log.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "projections/history/stream_index.h"

namespace tilth {

// Belongs to one thread, which may block on the log.
class StreamReader {
 public:
  // Both must outlive it.
  StreamReader(EventLog& log, StreamIndex& index, std::string stream);

  // Finds how far the stream reaches now: at least past each of its records that was acknowledged
  // to anyone before. Call it before anything else, and again for later records.
  //
  //   kUnavailable  the log does not return its end, or the index cannot reach it just now.
  Status refresh();

  // next() skips records whose type is not wanted, without reading them. Call it before refresh(),
  // and not together with go_to().
  void only(std::function<bool(std::string_view type)> wanted) { wanted_ = std::move(wanted); }

  // How many records the stream had at that time.
  std::uint64_t version() const { return version_; }

  // Where the log ended at that time.
  std::int64_t end() const { return end_; }

  // next() continues with the record of that version.
  void go_to(std::uint64_t version) {
    next_ = version;
    offsets_.clear();
  }

  // Continues after the record at that position. Returns whether it is a record of this stream.
  bool go_on_after(const Position& position);

  // The next records, at most `limit` and at least one; none at the end that refresh() found.
  //
  //   kUnavailable  retry: nothing was skipped.
  //   others        the log's own.
  Result<std::vector<LoggedRecord>> next(std::size_t limit);

 private:
  std::vector<std::int64_t> next_offsets(std::size_t limit);
  std::vector<std::int64_t> read_offsets(std::size_t limit) const;
  Status read_run(const std::int64_t* first, const std::int64_t* last,
                  std::vector<LoggedRecord>& found);
  Status move_to(std::int64_t offset);

  EventLog& log_;
  StreamIndex& index_;
  const std::string stream_;
  const int partition_;
  std::unique_ptr<LogReader> reader_;
  std::int64_t at_ = 0;  // where reader_ is, as far as we know
  std::int64_t end_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t next_ = 0;            // the next record, if all types are wanted
  std::int64_t next_offset_ = 0;      // where it may be
  std::deque<std::int64_t> offsets_;  // of it and those after it, as far as they were read
  std::function<bool(std::string_view)> wanted_;
  std::optional<std::vector<std::string>> types_;  // none: all are wanted
};

}  // namespace tilth
