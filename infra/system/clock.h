// The machine's clock and, for tests, a clock that stands still until it is moved.

#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "events/values/duration.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// The machine's wall clock. Threads: any.
class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
};

// A wall clock that stands still until an operator moves it, and never goes backwards.
//
// Threads: any. Crash: it has the time of the last move, or the time before that move.
class TestClock final : public Clock {
 public:
  // Starts at `at` or at the time stored in `memory`, whichever is later.
  //
  //   kUnavailable  the file cannot be read or written.
  //   kDamaged      the file holds no time.
  static Result<std::unique_ptr<TestClock>> open(std::filesystem::path memory, Timestamp at);

  Timestamp now() const override;

  // Moves to `to`, and stores that before now() returns it.
  //
  //   kConflict     `to` is before now().
  //   kUnavailable  it cannot be stored; the clock has not moved.
  Status move_to(Timestamp to);

  // The same, by a calendar duration.
  //
  //   kInvalid      that is beyond the year 9999.
  //   kUnavailable  as above.
  Status advance(CalendarDuration by);

 private:
  TestClock(std::filesystem::path memory, Timestamp at);
  Status remember(Timestamp to);

  const std::filesystem::path memory_;
  std::mutex moving_;           // held while a move is written: serializes moves
  mutable std::mutex reading_;  // guards only now_: now() never waits for a disk
  Timestamp now_;
};

}  // namespace tilth
