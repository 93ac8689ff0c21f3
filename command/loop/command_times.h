// When the parts of a command were done, for the spans of a trace.

#pragma once

#include <atomic>
#include <chrono>

namespace tilth {

// Of a command that is decided several times, the last attempt counts.
//
// Threads: end_appending() from any thread of the log, all else from the loop's, and then from the
// one that has the result.
class CommandTimes {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  // Zero: it was not begun, or has not ended.
  struct Part {
    Instant begun = {}, ended = {};
  };

  void begin_deciding() { deciding_ = {now(), {}}; }
  void end_deciding() { deciding_.ended = now(); }
  void begin_appending() {
    appending_ = now();
    durable_.store({}, std::memory_order_relaxed);
  }
  void end_appending() { durable_.store(now().time_since_epoch(), std::memory_order_relaxed); }
  void complete() { completed_ = now(); }

  Part deciding() const { return deciding_; }
  // Until the record was durable, or the reader had it.
  Part appending() const {
    if (appending_ == Instant()) return {};
    const Instant durable(durable_.load(std::memory_order_relaxed));
    return {appending_, durable == Instant() || durable > completed_ ? completed_ : durable};
  }
  // From then on until its rows could be read.
  Part projecting() const { return {appending().ended, completed_}; }

 private:
  static Instant now() { return std::chrono::steady_clock::now(); }

  Part deciding_;
  Instant appending_ = {}, completed_ = {};
  std::atomic<Instant::duration> durable_ = Instant::duration{};
};

}  // namespace tilth
