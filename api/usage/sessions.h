// Who is signed in to the dashboard: opaque tokens in cookies, of which only digests are kept.

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "api/keys/key_digest.h"
#include "events/values/ids.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

struct Session {
  std::string user_id;
  Timestamp ends_at;
};

// Session begun or, without one, ended: what other nodes are to hear.
struct SessionChange {
  std::string digest;
  std::optional<Session> session;
};

// Port: where sessions outlive the process. Threads: any.
class SessionStore {
 public:
  using Each = std::function<void(const std::string& digest, const Session&)>;

  virtual ~SessionStore() = default;
  // kUnavailable: it could not be written, and nothing changed.
  virtual Status keep(const std::string& digest, const Session& session) = 0;
  virtual Status forget(const std::string& digest) = 0;
  // kUnavailable: not all could be read.
  virtual Status read(const Each& each) = 0;
};

// Threads: any. Crash: what begin() and end() returned from holds afterwards.
class Sessions {
 public:
  static constexpr std::chrono::hours kLength{12};
  using Tell = std::function<void(const SessionChange&)>;

  // All outlive the sessions. `tell` hears what begins and ends here.
  Sessions(SessionStore& store, const KeyDigest& digest, const Clock& clock, const IdSource& ids,
           Tell tell)
      : store_(store), digest_(digest), clock_(clock), ids_(ids), tell_(std::move(tell)) {}

  // Takes up what was kept. kUnavailable: not all could be read.
  Status restore();

  // A new session's token. kUnavailable: it could not be kept.
  Result<std::string> begin(const std::string& user_id);

  // Whose session that is; null when there is none, or no more.
  std::optional<std::string> user_of(std::string_view token) const;

  // Anyone who has the token is signed in no more. kUnavailable: that could not be kept, and they
  // are.
  Status end(std::string_view token);

  // What another node told. kUnavailable: it could not be kept; it is in force until a restart.
  Status hear(const SessionChange& change);

 private:
  // With the lock held.
  void put(const std::string& digest, const Session& session);
  void drop_ended(Timestamp now);

  SessionStore& store_;
  const KeyDigest& digest_;
  const Clock& clock_;
  const IdSource& ids_;
  const Tell tell_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Session> by_digest_;
  std::size_t crowd_ = 1'000;  // so many, and those that have ended are looked for
};

}  // namespace tilth
