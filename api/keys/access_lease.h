// Whether a node that shares its log may still rely on what it knows of users and keys.

#pragma once

#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <thread>

#include "command/loop/command_loop.h"
#include "events/log/event_log.h"

namespace tilth {

// A clock that is never set and keeps running while the machine or the process sleeps.
struct SleeplessClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SleeplessClock>;
  static constexpr bool is_steady = true;
  static time_point now() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  }
};

// Operation: repeatedly queries the end of the log and reads up to it. What this node knows of keys
// is then valid for kLength from the moment the query was sent. A node that was paused or cut off
// finds its lease expired, and queries the log before it trusts a key. A replaced broker may report
// an end that is too early, so a node must also know, as recently, how far the others have read.
// Therefore no node admits a revoked key once kLength has passed since all could read the
// revocation; the response to a revocation waits that long.
//
// Threads: any; runs one of its own. Destroying it completes everything that waits with false.
class AccessLease {
 public:
  // The error for a caller while the lease does not hold.
  static Error expired();

  static constexpr std::chrono::milliseconds kLength{2'000};
  static constexpr std::chrono::milliseconds kRenewEvery{400};
  // The clocks of two machines may run at different rates.
  static constexpr std::chrono::milliseconds kPaceMargin{20};

  using Done = std::function<void(bool)>;
  struct Others {
    // Whether this node has read everything that the others reported, less than kLength ago, to
    // have read; called by every holds().
    std::function<bool()> is_current = [] { return true; };
    // Whether the others can know by now what this node knew at that time.
    std::function<bool(SleeplessClock::time_point)> know = [](auto) { return true; };
  };

  // `log` and `access` must outlive it.
  AccessLease(EventLog& log, CommandLoop& access) : AccessLease(log, access, Others()) {}
  AccessLease(EventLog& log, CommandLoop& access, Others others);
  ~AccessLease();

  // Call it before and after a look-up. What was found while it does not hold stays doubtful.
  bool holds() const;

  // Runs `done` with true once this node has read everything acknowledged before the call, or with
  // false if that takes too long.
  void when_present(Done done);

  // As when_present(), and then waits up to as long again until it knows how far the others have
  // read.
  void when_it_holds(Done done);

  // Runs `done` with true once no node relies on state that is outdated now, or with false if the
  // others cannot read it. At once without a lease, since then there is no other node.
  void when_all_know(Done done);
  static void when_all_know(AccessLease* lease, Done done) {
    lease != nullptr ? lease->when_all_know(std::move(done)) : done(true);
  }

 private:
  struct State;
  void run();

  const std::shared_ptr<State> state_;  // the log may call back after our destruction
  std::thread thread_;
};

}  // namespace tilth
