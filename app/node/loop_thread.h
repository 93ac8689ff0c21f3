// Runs a command loop while the service runs.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "command/loop/command_loop.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// Logs once what stops the loop, and continues when it can.
class LoopThread {
 public:
  // `loop` and `log` must outlive it.
  LoopThread(std::string name, CommandLoop& loop, LogLines& log);
  ~LoopThread();

  // Completes everything that waits with kUnavailable and ends the thread. Idempotent.
  void stop();

 private:
  void run(const std::stop_token& stop);

  const std::string name_;
  CommandLoop& loop_;
  LogLines& log_;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;
};

}  // namespace tilth
