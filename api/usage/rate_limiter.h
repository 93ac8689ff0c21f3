// Rate limits: exact sliding windows, per user, per key and per address.

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
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

// A request counted at t leaves the window at t + length.
class SlidingWindow {
 public:
  using Millis = std::chrono::milliseconds;

  // The number counted in the window that ends at `now`.
  std::uint64_t count(Timestamp now, Millis length);
  void add(Timestamp now, std::uint32_t count = 1);
  void take_back();  // one of those that this node added last
  void add_of_others(Timestamp at, std::uint32_t count);

  // Restores a stored count: at least that many were counted at that instant.
  void restore(Timestamp at, std::uint32_t count);

  // When the oldest one leaves; when there is room for one under `limit`. Call both after count().
  Timestamp oldest_leaves(Millis length) const;
  Timestamp has_room(std::uint64_t limit, Millis length) const;

  // What this node added at or after `since`: instants and counts.
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

// The values of the three headers, and whether the request is allowed.
struct RateVerdict {
  bool allowed = true;
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  Timestamp reset = {};
  std::int64_t retry_after_seconds = 0;  // for a refusal
  bool may_fit = true;                   // false: it counts more than the whole limit
  RatedBy by = RatedBy::kUser;           // whose window these values describe
};

// When the limits of bytes and of recurring tasks pass, of which Retry-After has the seconds,
// rounded up: both do at a whole second.
Timestamp passes_at(Timestamp now, std::int64_t retry_after_seconds);

// kRateLimited, with the time to retry.
Error rate_refusal(const RateVerdict& verdict);

// Threads: any. Counts survive a restart as far as the result of take_changes() was stored.
class RateLimiter {
 public:
  // How long a counted request stays in a window: an hour, for addresses a minute.
  static SlidingWindow::Millis window_of(RatedBy by);

  // A user's request costs one in the user's window and, if the key has its own limit, one in the
  // key's; it is allowed if both have room, and a refused one is not counted. The verdict describes
  // the one with less left, on a tie the user's; if both are used up, the one that has room later.
  RateVerdict count_user(const std::string& user_id, std::uint64_t limit, const std::string& key_id,
                         std::optional<std::uint64_t> key_limit, Timestamp now);

  // Whether count_user() would allow a request; does not count.
  bool has_room_for_user(const std::string& user_id, std::uint64_t limit, const std::string& key_id,
                         std::optional<std::uint64_t> key_limit, Timestamp now);

  // A request that count_user() has allowed costs that many more. If they do not fit, nothing of it
  // counts. Per minute: by address.
  struct Further {
    // NOLINTNEXTLINE(google-explicit-constructor): it is mostly a number
    Further(std::uint32_t more, bool here = true) : count(more), first_is_here(here) {}
    std::uint32_t count;
    bool first_is_here;  // false: another node has counted the request itself
  };
  RateVerdict count_further_of_user(const std::string& user_id, std::uint64_t limit,
                                    const std::string& key_id,
                                    std::optional<std::uint64_t> key_limit, Further further,
                                    Timestamp now);
  RateVerdict count_further_of_address(const std::string& address, std::uint64_t limit,
                                       Further further, Timestamp now);

  // A request that was allowed does not count after all, except as a use of the key.
  void take_back_of_user(const std::string& user_id, const std::string& key_id, Timestamp now);
  void take_back_of_address(const std::string& address, Timestamp now);

  // Requests without a user: by address, per minute.
  RateVerdict count_address(const std::string& address, std::uint64_t limit, Timestamp now);

  // What the headers would show for the address, without counting.
  RateVerdict look_at_address(const std::string& address, std::uint64_t limit, Timestamp now);

  // How often a key was used, and when last, as far as this node knows.
  struct KeyUse {
    std::uint64_t count = 0;
    std::optional<Timestamp> last = {};
    friend bool operator==(const KeyUse&, const KeyUse&) = default;
  };
  KeyUse use_of(const std::string& user_id, const std::string& key_id) const;

  // What was counted since the last call, to be stored. An instant comes with its full count, even
  // if part of it was taken before.
  struct Change {
    RatedBy by = RatedBy::kUser;
    std::string subject;  // a user's id, a key's id, or an address
    std::vector<std::pair<Timestamp, std::uint32_t>> counted = {};
    std::optional<KeyUse> use = {};  // of a key: in total
    std::string user_id = {};        // of a key
    std::uint64_t new_uses = 0;      // of a key: since the last call
  };
  std::vector<Change> take_changes(Timestamp now);

  // These could not be stored: the next take_changes() returns them again.
  void not_kept(const std::vector<Change>& changes);

  // Restores what was stored, at startup; an instant may come several times, with its count by
  // then.
  void restore(const Change& change);

  // What another node counted in a window. It counts here, too, but is never among the changes. An
  // instant before the newest one counts as that one.
  void add_of_others(const Change& change);

  // How often another node says that a key was used on it. Never among the changes.
  struct UseElsewhere {
    std::string node;
    std::string user_id;
    std::string key_id;
    KeyUse use = {};       // in total
    bool is_total = true;  // false: an earlier release sent it, and counts what is new alone
  };
  // Returns whether a new total is known by it, to be stored: an earlier one may come again.
  bool apply(const UseElsewhere& other);

 private:
  struct Counted {
    SlidingWindow window;
    std::optional<Timestamp> changed_since;
    void change_at(Timestamp at);
  };
  struct Key : Counted {
    KeyUse use;
    std::uint64_t new_uses = 0;
    struct OfNode {
      KeyUse use;
      bool is_total = false;
    };
    std::map<std::string, OfNode> of_others;  // by node
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
    // The users and addresses with changes, for take_changes(); some are there twice.
    std::vector<Users::value_type*> changed_users;
    std::vector<Addresses::value_type*> changed_addresses;
    std::size_t crowd = kCrowd;  // at this many addresses, idle ones are dropped

    void note_change(Users::value_type& user, Timestamp at);
    void note_change(Addresses::value_type& address, Timestamp at);
  };
  Shard& shard_of(const std::string& subject);
  const Shard& shard_of(const std::string& subject) const;
  static void drop_idle(Shard& shard, Timestamp now);
  static void take_from(Shard& shard, std::vector<Change>& changes);

  std::array<Shard, 16> shards_;
};

}  // namespace tilth
