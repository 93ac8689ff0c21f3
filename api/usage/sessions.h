// Dashboard sessions: opaque tokens in cookies, of which only digests are stored.

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

// A session that began or, if null, ended: other nodes must learn of it.
struct SessionChange {
  std::string digest;
  std::optional<Session> session;
};

// Port: stores sessions beyond the process. Threads: any.
class SessionStore {
 public:
  using Each = std::function<void(const std::string& digest, const Session&)>;

  virtual ~SessionStore() = default;
  // kUnavailable: the write failed, and nothing changed.
  virtual Status keep(const std::string& digest, const Session& session) = 0;
  virtual Status forget(const std::string& digest) = 0;
  // kUnavailable: some could not be read.
  virtual Status read(const Each& each) = 0;
};

// Threads: any. Crash: a change survives once begin() or end() has returned.
class Sessions {
 public:
  static constexpr std::chrono::hours kLength{12};
  using Tell = std::function<void(const SessionChange&)>;

  // All must outlive the sessions. `tell` is called for each session that begins or ends here.
  Sessions(SessionStore& store, const KeyDigest& digest, const Clock& clock, const IdSource& ids,
           Tell tell)
      : store_(store), digest_(digest), clock_(clock), ids_(ids), tell_(std::move(tell)) {}

  // Loads what was stored. kUnavailable: some could not be read.
  Status restore();

  // A new session's token. kUnavailable: it could not be stored.
  Result<std::string> begin(const std::string& user_id);

  // The user of that session; null if there is none, or it has ended.
  std::optional<std::string> user_of(std::string_view token) const;

  // Ends the session of that token. kUnavailable: that could not be stored, and the session
  // continues.
  Status end(std::string_view token);

  // What another node reported. kUnavailable: not stored; it is in force until a restart.
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
  std::size_t crowd_ = 1'000;  // at this size, ended sessions are dropped
};

}  // namespace tilth
