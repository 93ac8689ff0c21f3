// Whether a node that shares its log with others may still believe what it knows of users and keys.

#pragma once

#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <thread>

#include "command/loop/command_loop.h"
#include "events/log/event_log.h"

namespace tilth {

// The machine's clock that nothing sets, and that goes on while the machine or the process sleeps.
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

// Operation: asks the log for its end, again and again, and reads up to it. From the moment of the
// question on, what this node knows of keys is good for kLength. A node that was paused or cut off
// finds that its lease is over, and asks before it believes a key. A broker that was replaced may
// tell an end that is too early; so a node must also hear, as lately, what the others know. So
// kLength after all could hear of a revocation, no node admits its key: anyone who reports one
// waits that long.
//
// Threads: any; has one of its own. Destroying it answers everything that waits with false.
class AccessLease {
 public:
  // What to tell a caller while it does not hold.
  static Error has_not_heard();

  static constexpr std::chrono::milliseconds kLength{2'000};
  static constexpr std::chrono::milliseconds kRenewEvery{400};
  // Two machines' clocks may differ in their pace.
  static constexpr std::chrono::milliseconds kPaceMargin{20};

  using Done = std::function<void(bool)>;
  struct Others {
    // Whether this node has read all of which the others told, less than kLength ago, that they had
    // read it; asked whenever holds() is.
    std::function<bool()> heard = [] { return true; };
    // Whether they can hear by now what this node knew at that time.
    std::function<bool(SleeplessClock::time_point)> told = [](auto) { return true; };
  };

  // `log` and `access` must outlive it.
  AccessLease(EventLog& log, CommandLoop& access) : AccessLease(log, access, Others()) {}
  AccessLease(EventLog& log, CommandLoop& access, Others others);
  ~AccessLease();

  // Look a key up first, then ask this: the answer is about what was known before.
  bool holds() const;

  // Runs `done` once this node has read whatever had been acknowledged by now, with true, or with
  // false when that takes too long.
  void when_present(Done done);

  // As when_present(), and waits until the others were heard, too, for as long.
  void when_it_holds(Done done);

  // Runs `done` with true when no node believes what was overtaken by now, with false when the
  // others cannot be told. At once where there is no lease, since then there is no other node.
  void when_all_know(Done done);
  static void when_all_know(AccessLease* lease, Done done) {
    lease != nullptr ? lease->when_all_know(std::move(done)) : done(true);
  }

 private:
  struct State;
  void run();

  const std::shared_ptr<State> state_;  // the log may answer when we are gone
  std::thread thread_;
};

}  // namespace tilth
