// Who may ask how often: exact sliding windows, per user, per key and per address.

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "events/result.h"
#include "events/time.h"

namespace tilth {

// A request that was counted at t is outside the window from t + length on.
class SlidingWindow {
 public:
  using Millis = std::chrono::milliseconds;

  // How many were counted in the window that ends at `now`.
  std::uint64_t count(Timestamp now, Millis length);
  void add(Timestamp now, std::uint32_t count = 1);

  // When the oldest counted one leaves; when there is room for one under `limit`. Both after
  // count().
  Timestamp oldest_leaves(Millis length) const;
  Timestamp has_room(std::uint64_t limit, Millis length) const;

  // What was added at or after `since`: instants and counts.
  std::vector<std::pair<Timestamp, std::uint32_t>> since(Timestamp since) const;

 private:
  struct Instant {
    Timestamp at;
    std::uint32_t count;
  };
  std::deque<Instant> instants_;  // one per millisecond at most
  std::uint64_t total_ = 0;
};

// What the three headers say, and whether the request may go on.
struct RateVerdict {
  bool allowed = true;
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  Timestamp reset = {};
  std::int64_t retry_after_seconds = 0;  // on a refusal
};

// kRateLimited, with when to ask again.
Error rate_refusal(const RateVerdict& verdict);

// Threads: any. What is counted survives a restart as far as take_changes() was kept.
class RateLimiter {
 public:
  // A counted request of a user costs one in the user's window and, where the key has a limit of
  // its own, one in the key's; it is allowed if both have room, and a refused one is not counted.
  // The verdict tells of the one that has less left, on a tie the user's; when both are used up, of
  // the one that has room later.
  RateVerdict count_user(const std::string& user_id, std::uint64_t limit, const std::string& key_id,
                         std::optional<std::uint64_t> key_limit, Timestamp now);

  // Requests without a user: by address, per minute.
  RateVerdict count_address(const std::string& address, std::uint64_t limit, Timestamp now);

  // What the headers would say of the address, without counting.
  RateVerdict look_at_address(const std::string& address, std::uint64_t limit, Timestamp now);

  // How often a key was used, and when last.
  struct KeyUse {
    std::uint64_t count = 0;
    std::optional<Timestamp> last = {};
  };
  KeyUse use_of(const std::string& user_id, const std::string& key_id) const;

  // What was counted since the last call, to be kept: for each subject the instants, and for keys
  // their use.
  struct Change {
    std::string subject;  // a user's id, a key's id, or an address
    std::vector<std::pair<Timestamp, std::uint32_t>> counted;
    std::optional<KeyUse> use;
    std::string user_id;  // of a key
  };
  std::vector<Change> take_changes(Timestamp now);

  // What was kept, at start.
  void restore(const Change& change);

 private:
  struct Key {
    SlidingWindow window;
    KeyUse use;
    std::optional<Timestamp> changed_since;
  };
  struct Subject {
    SlidingWindow window;
    std::unordered_map<std::string, Key> keys;
    std::optional<Timestamp> changed_since;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::string, Subject> subjects;
  };
  Shard& shard_of(const std::string& subject);
  const Shard& shard_of(const std::string& subject) const;
  static void drop_idle(Shard& shard, Timestamp now);

  std::array<Shard, 16> shards_;
};

}  // namespace tilth
