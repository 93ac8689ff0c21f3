// The port through which deliveries read past events.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "projections/history/stream_index.h"

namespace tilth {

// Threads: any.
class StreamPages {
 public:
  struct Question {
    std::string stream;
    std::uint64_t from = 0, end = 0;  // versions: from `from` on and before `end`
    std::size_t most = 64;            // events
    std::function<bool(const Record&)> wants;
  };
  struct Page {
    std::vector<LoggedRecord> records;  // those that are wanted
    std::uint64_t next = 0;             // the version that a later page begins with
  };
  using OnRead = std::function<void(Result<Page>)>;

  virtual ~StreamPages() = default;

  // `done` runs once, later and on another thread, unless this is destroyed before. kUnavailable,
  // kLost, kDamaged: the log or its index cannot be read.
  virtual void read(Question question, OnRead done) = 0;
};

// The answer. The log may block. Errors: those of StreamPages::read().
Result<StreamPages::Page> read_page(EventLog& log, StreamIndex& index,
                                    const StreamPages::Question& question);

}  // namespace tilth
