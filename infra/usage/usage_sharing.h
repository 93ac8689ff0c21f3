// Tells the other nodes how often this one was asked and who signed in here, and heeds what they
// tell: a limit and a session hold for all nodes together.

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
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/keys/access_lease.h"
#include "api/usage/rate_limiter.h"
#include "api/usage/sessions.h"
#include "events/log/event_log.h"
#include "events/values/ids.h"

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

// How often a key was used there since the last batch, and when last.
struct UsageOfKey {
  std::string key;
  std::string user;
  std::int64_t uses = 0;
  std::optional<Timestamp> last;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("key", key), member("user", user), member("uses", uses), member("last", last));
  }
};

// Who signed in there, until when; without that, the session has ended.
struct UsageOfSession {
  std::string digest;
  std::optional<std::string> user;
  std::optional<Timestamp> ends_at;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("digest", digest), member("user", user), member("endsAt", ends_at));
  }
};

struct UsageBatch {
  std::vector<UsageCount> counts;
  std::vector<UsageOfKey> keys;
  std::vector<UsageOfSession> sessions;
  std::int64_t known = 0;  // how far the sender has read what tells of users and keys

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("counts", counts), member("keys", keys), member("sessions", sessions),
       member("known", known));
  }
};

// Operation: each share() is one record of a log of its own, `tilth.usage`, that forgets after
// hours. Batches of a node are numbered and go out one after another: the next one when the last
// one was read back, so that each is counted once. An empty one goes out, too: having read its own
// newest batch back is how a node knows that it hears the others, and they it. No broker that was
// replaced can make it believe so: a batch is acknowledged by two.
//
// Threads: share() from one, tell(), fresh() and told() from any; one thread of its own reads.
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
    std::function<void(std::string_view)> say = [](std::string_view) {};
    // How far this node has read what tells of users and keys.
    std::function<std::int64_t()> known = [] { return 0; };
    // A reader that begins with what still counts.
    std::function<Result<std::unique_ptr<LogReader>>()> begin;
  };

  // `reader` is one of Parts::begin's. Another one takes its place when the log has forgotten what
  // comes next: then this node slept for hours.
  UsageSharing(Parts parts, std::unique_ptr<LogReader> reader);
  ~UsageSharing();

  // Sends what was counted since the last call, as RateLimiter::take_changes() tells it.
  void share(const std::vector<RateLimiter::Change>& changes);

  // Waits until who signed in and out has been told, too. By the thread that shares, at its end.
  void finish(std::chrono::milliseconds timeout);

  // The next share() says so.
  void tell(const SessionChange& change);

  // Whether all that others had shared less than kFreshness ago is counted here, and what they had
  // read of users and keys is read here, too.
  bool fresh() const;

  // Whether nothing was heard of another node for some seconds.
  bool alone() const;

  // Whether the others find what this node knew at `since` before they can be fresh() again.
  bool told(SleeplessClock::time_point since) const;

 private:
  struct Sent {
    Record record;
    SleeplessClock::time_point at;
    bool unknown = false;  // how its append ended: send it again
  };
  // What the log's completions may touch when we are gone.
  struct State {
    std::mutex mutex;
    std::optional<Sent> sent;  // and not read back yet
    std::optional<SleeplessClock::time_point> fresh_since;
    std::vector<UsageOfSession> unsent_sessions;
    std::int64_t known = 0;  // to any other node
    std::optional<SleeplessClock::time_point> heard_another;
  };

  void collect(const RateLimiter::Change& change);
  void send(const Record& record);
  void run(const std::stop_token& stop);
  Result<std::vector<LoggedRecord>> next_page();
  void read(const Record& record);
  void count(const UsageBatch& batch);
  void heed(const std::vector<UsageOfSession>& sessions);

  const Parts parts_;
  std::mutex reader_mutex_;  // guards its replacing
  std::unique_ptr<LogReader> reader_;
  const std::string run_;  // this life of the node
  const std::shared_ptr<State> state_ = std::make_shared<State>();

  // Of the thread that shares.
  UsageBatch unsent_;
  std::uint64_t sequence_ = 0;
  std::map<std::pair<RatedBy, std::string>, std::pair<Timestamp, std::uint32_t>> shared_;

  // Of the thread that reads: the next number of each run.
  std::unordered_map<std::string, std::uint64_t> next_;

  std::jthread thread_;
};

}  // namespace tilth
