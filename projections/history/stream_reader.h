// Reads the accepted records of one stream in their order, wherever they lie in the log.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "projections/history/stream_index.h"

namespace tilth {

// Belongs to one thread, which may have to wait for the log.
class StreamReader {
 public:
  // Both must outlive it.
  StreamReader(EventLog& log, StreamIndex& index, std::string stream);

  // Learns how far the stream reaches now: at least to each of its records that anybody had been
  // told is durable. To be called before anything else, and again for what came since.
  //
  //   kUnavailable  the log does not tell, or the index cannot come that far just now.
  Status refresh();

  // How many records the stream had then.
  std::uint64_t version() const { return version_; }

  // Where the log ended then.
  std::int64_t end() const { return end_; }

  // next() goes on with the record of that version.
  void go_to(std::uint64_t version) { next_ = version; }

  // Goes on after the record that lies there; whether there is such a one of this stream.
  bool go_on_after(const Position& position);

  // The next records, `limit` at most and at least one; none at the end that refresh() found.
  //
  //   kUnavailable  ask again: nothing was skipped.
  //   others        the log's own.
  Result<std::vector<LoggedRecord>> next(std::size_t limit);

 private:
  Status read_run(const std::int64_t* first, const std::int64_t* last,
                  std::vector<LoggedRecord>& found);
  Status move_to(std::int64_t offset);

  EventLog& log_;
  StreamIndex& index_;
  const std::string stream_;
  const int partition_;
  std::unique_ptr<LogReader> reader_;
  std::int64_t at_ = 0;  // where it stands, as far as we know
  std::int64_t end_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace tilth
