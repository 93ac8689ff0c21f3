// Reads past events for webhooks, on a thread of its own, since the log may block.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "events/log/event_log.h"
#include "projections/history/stream_index.h"

namespace tilth {

// Threads: read() from any; the results come on a thread of its own.
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

  // Both must outlive it.
  StreamPages(EventLog& log, StreamIndex& index);
  ~StreamPages();

  // `done` runs once, unless this is destroyed before.
  void read(Question question, OnRead done);

 private:
  void run(const std::stop_token& stop);
  Result<Page> page_of(const Question& question);

  EventLog& log_;
  StreamIndex& index_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::pair<Question, OnRead>> questions_;
  std::jthread thread_;
};

}  // namespace tilth
