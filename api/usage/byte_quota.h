// Limits how much history an owner's changes add in an hour.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// Counts the bytes of each owner's events, minute by minute, as this node reads them from the log:
// so every node counts the changes of all. An owner who has reached the limit waits until the
// oldest minutes have left the hour.
//
// Threads: any. After a restart it counts what this node then reads.
class ByteQuota {
 public:
  // An accepted event of that size, at that time; one by a clock that is ahead counts as of `now`.
  void add(const std::string& owner, std::size_t bytes, Timestamp at, Timestamp now);

  // kRateLimited, with the time to retry, if the owner's events of the last hour have `limit` bytes
  // or more. No limit: never.
  Status check(const std::string& owner, std::optional<std::int64_t> limit, Timestamp now);

  // For metrics: changes that check() refused, since the start.
  std::uint64_t refused() const;

 private:
  struct Minute {
    std::chrono::sys_time<std::chrono::minutes> begins;
    std::uint64_t bytes;
  };
  struct Window {
    std::deque<Minute> minutes;
    std::uint64_t total = 0;
  };

  static void drop_old(Window& window, Timestamp now);
  void drop_idle(Timestamp now);

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Window> windows_;  // by owner
  std::size_t crowd_ = 4'096;  // at this size, owners without a byte in their hour are dropped
  std::uint64_t refused_ = 0;
};

}  // namespace tilth
