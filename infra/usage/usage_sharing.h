// Shares usage counts and sessions with the other nodes, and applies theirs: a limit and a session
// are valid for all nodes together.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/keys/access_lease.h"
#include "api/usage/rate_limiter.h"
#include "api/usage/sessions.h"
#include "events/log/event_log.h"
#include "events/values/ids.h"
#include "infra/usage/hourly_usage.h"
#include "infra/usage/sharing_freshness.h"

namespace tilth {

// What one node counted at one instant.
struct UsageCount {
  RatedBy by = RatedBy::kUser;
  std::string subject;
  std::string user;  // whose key it is
  std::int64_t at = 0;
  std::int64_t count = 0;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("by", by), member("subject", subject), member("user", user), member("at", at),
       member("count", count));
  }
};

// How often a key was used on that node since its last batch, in total, and when last.
struct UsageOfKey {
  std::string key;
  std::string user;
  std::int64_t uses = 0;  // for nodes of an earlier release
  std::optional<Timestamp> last;
  std::optional<std::int64_t> total;  // null: an earlier release sent it

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("key", key), member("user", user), member("uses", uses), member("last", last),
       member("total", total));
  }
};

// A session of that node: its user and its end; without them it has ended.
struct UsageOfSession {
  std::string digest;
  std::optional<std::string> user;
  std::optional<Timestamp> ends_at;
  std::optional<Timestamp> began_at;
  std::int64_t epoch = 0;
  SignInMethod method = {};
  std::optional<std::string> address, browser;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("digest", digest), member("user", user), member("endsAt", ends_at),
       member("beganAt", began_at), member("epoch", epoch), member("method", method),
       member("address", address), member("browser", browser));
  }
};

// When a session was last used on that node.
struct UseOfSession {
  std::string digest;
  Timestamp at = {};

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("digest", digest), member("at", at));
  }
};

struct UsageBatch {
  std::vector<UsageCount> counts;
  std::vector<UsageOfKey> keys;
  std::vector<UsageOfSession> sessions;
  std::vector<UseOfSession> seen;
  std::vector<HourlyTotal> hours;
  std::int64_t known = 0;  // how far the sender has read the records about users and keys

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("counts", counts), member("keys", keys), member("sessions", sessions),
       member("seen", seen), member("hours", hours), member("known", known));
  }
};

// Operation: each share() appends one record to a log of its own, `tilth.usage`, with a retention
// of hours. A node numbers its batches and sends them one after another: the next one once it has
// read the last one back, so that each is counted once. It also sends empty ones: reading its own
// newest batch back proves to a node that it can read what the others send, and they what it sends
// (SharingFreshness). A broker that was replaced cannot feign that: two acknowledge a batch.
//
// Threads: share() from one, share_session(), fresh(), is_current() and is_shared() from any; one
// thread of its own reads.
//
// Crash: what was counted and not shared is lost to the others.
class UsageSharing {
 public:
  static constexpr std::chrono::milliseconds kFreshness = AccessLease::kLength;
  static constexpr std::string_view kType = "tilth.usage.counted";

  struct Parts {
    EventLog& log;  // of usage; outlives it
    RateLimiter& limiter;
    Sessions& sessions;
    const Clock& clock;
    const IdSource& ids;
    std::string node;
    std::function<void(std::string_view)> log_line = [](std::string_view) {};
    // How far this node has read the records about users and keys.
    std::function<std::int64_t()> known = [] { return 0; };
    // Opens a reader that begins with the oldest record that still counts.
    std::function<Result<std::unique_ptr<LogReader>>()> begin;
    // Another node's totals by hour and key. kUnavailable: they could not be stored.
    std::function<Status(const std::string& node, const std::vector<HourlyTotal>&)> on_hours =
        [](const auto&, const auto&) { return kDone; };
    // Other nodes' new totals of keys. kUnavailable: they could not be stored.
    std::function<Status(const std::vector<RateLimiter::UseElsewhere>&)> on_uses = [](const auto&) {
      return kDone;
    };
  };

  // `reader` is one of Parts::begin's. A new one replaces it when the log no longer has the next
  // record: then this node slept for hours.
  UsageSharing(Parts parts, std::unique_ptr<LogReader> reader);
  ~UsageSharing();

  // Sends what was counted since the last call, as RateLimiter::take_changes() returns it.
  void share(const std::vector<RateLimiter::Change>& changes);

  // The next share() that sends something includes them. Called by the sharing thread.
  void share_hours(const std::vector<HourlyTotal>& totals);

  // Waits until all session changes and totals are shared, too. Called by the sharing thread, at
  // its end.
  void finish(std::chrono::milliseconds timeout);

  // The next share() includes it.
  void share_session(const SessionChange& change);

  // Whether this node has counted all that others had shared as of a moment less than kFreshness
  // ago, and has read the records about users and keys as far as they had.
  bool fresh() const;

  // Whether it has counted that, however much it has read about users and keys.
  bool is_current() const;

  // Whether no batch of another node has arrived for some seconds.
  bool alone() const;

  // Whether the others must read what this node knew at `since` before they can be fresh() again.
  bool is_shared(SleeplessClock::time_point since) const;

 private:
  struct Sent {
    Record record;
    bool unknown = false;  // whether the log has it: send it again
  };
  // State that the log's completions may use after this object is destroyed.
  struct State {
    std::mutex mutex;
    std::optional<Sent> sent;  // and not read back yet
    SharingFreshness freshness{kFreshness};
    std::vector<UsageOfSession> unsent_sessions;
    std::vector<UseOfSession> unsent_seen;
  };

  void collect(const RateLimiter::Change& change);
  void send(const Record& record);
  void run(const std::stop_token& stop);
  Result<std::vector<LoggedRecord>> next_page();
  void read(const Record& record);
  void count(const std::string& node, const UsageBatch& batch);
  void apply(const UsageBatch& batch);
  void apply(const SessionChange& change);

  const Parts parts_;
  std::mutex reader_mutex_;  // guards its replacement
  std::unique_ptr<LogReader> reader_;
  const std::string run_;  // this run of the process
  const std::shared_ptr<State> state_ = std::make_shared<State>();

  // Used only by the sharing thread.
  UsageBatch unsent_;
  std::map<std::tuple<std::string, std::int64_t, std::string>, HourlyTotal> unsent_hours_;
  std::uint64_t sequence_ = 0;
  std::map<std::pair<RatedBy, std::string>, std::pair<Timestamp, std::uint32_t>> shared_;

  // Used only by the reading thread: the next number of each run.
  std::unordered_map<std::string, std::uint64_t> next_;
  bool hours_fail_ = false, uses_fail_ = false;

  std::jthread thread_;
};

}  // namespace tilth
