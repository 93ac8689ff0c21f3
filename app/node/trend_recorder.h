// Measures what Trends keeps, every few seconds.

#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "api/operator/trends.h"

namespace tilth {

// Threads: one of its own.
class TrendRecorder {
 public:
  // Begins at once. `trends` must outlive this.
  explicit TrendRecorder(Trends& trends);
  ~TrendRecorder();
  TrendRecorder(const TrendRecorder&) = delete;
  TrendRecorder& operator=(const TrendRecorder&) = delete;

 private:
  void run(const std::stop_token& stop);

  Trends& trends_;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;
};

}  // namespace tilth
