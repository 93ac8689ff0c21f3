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

#include "events/json/described.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// A request that was counted at t is outside the window from t + length on.
class SlidingWindow {
 public:
  using Millis = std::chrono::milliseconds;

  // How many were counted in the window that ends at `now`.
  std::uint64_t count(Timestamp now, Millis length);
  void add(Timestamp now);
  void add_of_others(Timestamp at, std::uint32_t count);

  // As it was kept before: so many or more were counted at that instant.
  void restore(Timestamp at, std::uint32_t count);

  // When the oldest counted one leaves; when there is room for one under `limit`. Both after
  // count().
  Timestamp oldest_leaves(Millis length) const;
  Timestamp has_room(std::uint64_t limit, Millis length) const;

  // What was added at or after `since`, without what others counted: instants and counts.
  std::vector<std::pair<Timestamp, std::uint32_t>> since(Timestamp since) const;

 private:
  struct Instant {
    Timestamp at;
    std::uint32_t count;
    std::uint32_t of_others = 0;
  };
  void put(Instant added);

  std::deque<Instant> instants_;  // one per millisecond at most
  std::uint64_t total_ = 0;
};

// What a window belongs to.
enum class RatedBy : std::uint8_t { kUser, kKey, kAddress };

constexpr auto labels(RatedBy) { return named<RatedBy>("user", "key", "address"); }

// What the three headers say, and whether the request may go on.
struct RateVerdict {
  bool allowed = true;
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  Timestamp reset = {};
  std::int64_t retry_after_seconds = 0;  // on a refusal
  RatedBy by = RatedBy::kUser;           // whose window these figures are of
};

// kRateLimited, with when to ask again.
Error rate_refusal(const RateVerdict& verdict);

// Threads: any. What is counted survives a restart as far as take_changes() was kept.
class RateLimiter {
 public:
  // How long a counted request stays in a window: an hour, for addresses a minute.
  static SlidingWindow::Millis window_of(RatedBy by);

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

  // How often a key was used, and when last, as far as this node has heard.
  struct KeyUse {
    std::uint64_t count = 0;
    std::optional<Timestamp> last = {};
    friend bool operator==(const KeyUse&, const KeyUse&) = default;
  };
  KeyUse use_of(const std::string& user_id, const std::string& key_id) const;

  // What was counted since the last call, to be kept. An instant comes with all that was counted
  // at it, also when part of that was taken before.
  struct Change {
    RatedBy by = RatedBy::kUser;
    std::string subject;  // a user's id, a key's id, or an address
    std::vector<std::pair<Timestamp, std::uint32_t>> counted = {};
    std::optional<KeyUse> use = {};  // of a key: in all
    std::string user_id = {};        // of a key
    std::uint64_t new_uses = 0;      // of a key: since the last call
  };
  std::vector<Change> take_changes(Timestamp now);

  // These could not be kept: the next take_changes() tells of them again.
  void not_kept(const std::vector<Change>& changes);

  // What was kept, at start; an instant may come several times, with what was counted at it by
  // then.
  void restore(const Change& change);

  // What another node counted, and its new uses of a key. Both count here, and are never among the
  // changes. An instant that lies before the newest one counts as that one.
  void add_of_others(const Change& change);

 private:
  struct Counted {
    SlidingWindow window;
    std::optional<Timestamp> changed_since;
    void change_at(Timestamp at);
  };
  struct Key : Counted {
    KeyUse use;
    std::uint64_t new_uses = 0;
    KeyUse of_others;
  };
  struct User : Counted {
    std::unordered_map<std::string, Key> keys;
  };
  using Users = std::unordered_map<std::string, User>;
  using Addresses = std::unordered_map<std::string, Counted>;
  static constexpr std::size_t kCrowd = 4'096;
  struct Shard {
    mutable std::mutex mutex;
    Users users;
    Addresses addresses;
    // Whom take_changes() asks: those with anything that has changed, some of them twice.
    std::vector<Users::value_type*> changed_users;
    std::vector<Addresses::value_type*> changed_addresses;
    std::size_t crowd = kCrowd;  // so many addresses, and the idle ones are looked for
  };
  Shard& shard_of(const std::string& subject);
  const Shard& shard_of(const std::string& subject) const;
  static void drop_idle(Shard& shard, Timestamp now);
  static void take_from(Shard& shard, std::vector<Change>& changes);

  std::array<Shard, 16> shards_;
};

}  // namespace tilth
