// Reads past events for webhooks on a thread of its own, since the log may block.

#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "infra/webhooks/stream_pages.h"

namespace tilth {

// Threads: read() from any; the results come on a thread of its own.
class StreamPagesThread final : public StreamPages {
 public:
  // Both must outlive it.
  StreamPagesThread(EventLog& log, StreamIndex& index);
  ~StreamPagesThread() override;

  void read(Question question, OnRead done) override;

 private:
  void run(const std::stop_token& stop);

  EventLog& log_;
  StreamIndex& index_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::pair<Question, OnRead>> questions_;
  std::jthread thread_;
};

}  // namespace tilth
