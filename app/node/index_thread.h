// Keeps the index of the history near the log's end while the service runs.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "infra/log_lines/log_lines.h"
#include "projections/history/stream_index.h"

namespace tilth {

// Polls, then reads everything new at once, so that a page holds much of each stream. Logs once
// what stops the index.
class IndexThread {
 public:
  // All must outlive it. `on_unreadable` is called once if the index cannot be read.
  IndexThread(StreamIndex& index, LogLines& log, std::function<void()> on_unreadable);
  ~IndexThread();

 private:
  void run(const std::stop_token& stop);

  StreamIndex& index_;
  LogLines& log_;
  const std::function<void()> on_unreadable_;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;
};

}  // namespace tilth
