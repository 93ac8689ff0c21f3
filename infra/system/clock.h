// What time it is: the machine's time, or, for tests, a time that stands until it is moved.

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
// Threads: any. Crash: it stands where it was last moved to, or where that move began.
class TestClock final : public Clock {
 public:
  // Stands at `at` or where it stood when `memory` was last written, whichever is later.
  //
  //   kUnavailable  the file cannot be read or written.
  //   kDamaged      the file holds no time.
  static Result<std::unique_ptr<TestClock>> open(std::filesystem::path memory, Timestamp at);

  Timestamp now() const override;

  // Moves on to `to`, and remembers that before anybody can see it.
  //
  //   kConflict     that lies before now().
  //   kUnavailable  it cannot be remembered; the clock has not moved.
  Status move_to(Timestamp to);

  // The same, by a span of the calendar.
  //
  //   kInvalid      that is beyond the year 9999.
  //   kUnavailable  as above.
  Status advance(CalendarDuration by);

 private:
  TestClock(std::filesystem::path memory, Timestamp at);
  Status remember(Timestamp to);

  const std::filesystem::path memory_;
  std::mutex moving_;           // held while a move is written, so that moves follow one another
  mutable std::mutex reading_;  // guards now_ alone: no one waits for a disk to learn the time
  Timestamp now_;
};

}  // namespace tilth
