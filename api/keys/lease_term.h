// What an AccessLease decides: for how long it holds, and who waits for that.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "command/loop/command_loop.h"
#include "events/log/event_log.h"

namespace tilth {

// Has neither a thread nor a clock of its own: turn() is called again and again, and the time comes
// from its caller. The log may call back after its owner is gone, so it is shared.
//
// Threads: turn() and wait() from one; all else from any.
class LeaseTerm : public std::enable_shared_from_this<LeaseTerm> {
 public:
  using Instant = std::chrono::nanoseconds;  // since a moment that stays the same
  using Done = std::function<void(bool)>;

  // As of AccessLease.
  struct Times {
    std::chrono::milliseconds length, renew_every, pace_margin;
  };
  struct Others {
    std::function<bool()> is_current;
    std::function<bool(Instant)> know;
  };

  // `log` and `access` must outlive it, `access` until close().
  LeaseTerm(EventLog& log, CommandLoop& access, Others others, Times times,
            std::function<Instant()> now);

  // See AccessLease.
  bool holds() const;
  void when_present(Done done);
  void when_it_holds(Done done);
  void when_all_know(Done done);

  // Completes what is due, renews the lease if it is time, and returns when to call it again if
  // nothing happens before.
  Instant turn();
  // Waits until then, or until something happens.
  void wait(Instant until);

  // From now on the log's answers change nothing, and what waits completes with false.
  void close();
  bool is_closed() const;

 private:
  // Each with a time: when it began to wait, or until when it waits.
  using Waiting = std::vector<std::pair<Instant, Done>>;

  void renew(Instant asked);
  void happened();

  EventLog& log_;
  const int partition_;
  const Others others_;
  const Times times_;
  const std::function<Instant()> now_;
  std::atomic<std::int64_t> until_ = 0;
  std::atomic<bool> renewing_ = false;
  Instant renew_at_;  // used only by turn()

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  bool has_changed_ = false;
  CommandLoop* access_;    // null: closed
  Waiting until_current_;  // succeed once this node is current, fail at their time
  Waiting until_known_;    // wait until the others can know what was known at their time
  Waiting until_unused_;   // succeed at their time: no node relies on the old state
};

}  // namespace tilth
