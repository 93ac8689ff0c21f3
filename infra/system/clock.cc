#include "infra/system/clock.h"

#include <algorithm>
#include <utility>

#include "infra/system/whole_file.h"

namespace tilth {

Timestamp SystemClock::now() const {
  return {std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())};
}

TestClock::TestClock(std::filesystem::path memory, Timestamp at)
    : memory_(std::move(memory)), now_(at) {}

Result<std::unique_ptr<TestClock>> TestClock::open(std::filesystem::path memory, Timestamp at) {
  const auto remembered = read_whole_file(memory);
  if (!remembered) return remembered.error();
  if (*remembered) {
    const auto stood = Timestamp::parse(**remembered);
    if (!stood) return Error{ErrorCode::kDamaged, memory.string() + " holds no time."};
    at = std::max(at, *stood);
  }
  std::unique_ptr<TestClock> clock(new TestClock(std::move(memory), at));
  if (const auto status = clock->remember(at); !status) return status.error();
  return clock;
}

Timestamp TestClock::now() const {
  const std::lock_guard lock(reading_);
  return now_;
}

Status TestClock::move_to(Timestamp to) {
  const std::lock_guard lock(moving_);
  if (to < now()) {
    return Error{ErrorCode::kConflict,
                 "The clock stands at " + now().text() + " and never goes backwards."};
  }
  return remember(to);
}

Status TestClock::advance(CalendarDuration by) {
  const std::lock_guard lock(moving_);
  const auto to = after(now(), by);
  if (!to) return Error{ErrorCode::kInvalid, "The clock cannot go beyond the year 9999."};
  return remember(*to);
}

Status TestClock::remember(Timestamp to) {
  if (const auto status = write_whole_file(memory_, to.text(), 0600); !status) {
    return status.error();
  }
  const std::lock_guard lock(reading_);
  now_ = to;
  return kDone;
}

}  // namespace tilth
