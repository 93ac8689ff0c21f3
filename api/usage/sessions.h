// Dashboard sessions: opaque tokens in cookies, of which only digests are stored.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/keys/key_digest.h"
#include "events/json/described.h"
#include "events/values/ids.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// How a person proved who they are.
enum class SignInMethod : std::uint8_t { kPassword, kProvider };

constexpr auto labels(SignInMethod) { return named<SignInMethod>("password", "provider"); }

// Who signs in, and where.
struct SignIn {
  std::string user_id;
  std::int64_t epoch = 0;  // User::session_epoch of the row that the sign-in was checked against
  SignInMethod method = {};
  std::optional<std::string> address = {};
  std::optional<std::string> browser = {};  // as it calls itself

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("user", user_id), member("epoch", epoch), member("method", method),
       member("address", address), member("browser", browser));
  }
};

struct Session {
  SignIn by;
  Timestamp began_at = {};
  Timestamp ends_at = {};
  Timestamp seen_at = {};  // within kSeenEvery

  template <class Archive>
  void serialize(Archive& ar) {
    by.serialize(ar);
    ar(member("beganAt", began_at), member("endsAt", ends_at), member("seenAt", seen_at));
  }
};

// What other nodes must learn of a session: that it began, was seen, or ended.
struct SessionChange {
  std::string digest;
  std::optional<Session> session = {};  // it began
  std::optional<Timestamp> seen = {};   // else null: it ended
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

// Operation: whether a session is still valid also depends on its user, whom the log describes: see
// is_valid() in api/guards/session_guard.h.
//
// Threads: any. Crash: a change survives once begin() or end() has returned.
class Sessions {
 public:
  static constexpr std::chrono::hours kLength{12};
  static constexpr std::chrono::minutes kSeenEvery{1};
  static constexpr std::string_view kIdPrefix = "session_";
  using OnChange = std::function<void(const SessionChange&)>;
  // Whether that user was erased: then no session of theirs is stored any more. Threads: any.
  using IsErased = std::function<bool(const std::string& user_id)>;

  // A session and its public id, which does not open it.
  struct Found {
    std::string id;
    Session session;
  };

  // All must outlive the sessions. `on_change` is called for each change that is made here.
  Sessions(
      SessionStore& store, const KeyDigest& digest, const Clock& clock, const IdSource& ids,
      OnChange on_change, IsErased is_erased = [](const auto&) { return false; })
      : store_(store),
        digest_(digest),
        clock_(clock),
        ids_(ids),
        on_change_(std::move(on_change)),
        is_erased_(std::move(is_erased)) {}

  // Loads what was stored. kUnavailable: some could not be read.
  Status restore();

  // A new session's token. kWrongPassword: the user was erased. kUnavailable: it could not be
  // stored.
  Result<std::string> begin(const SignIn& by);

  // The session of that token; null if there is none, or its time is over.
  std::optional<Found> find(std::string_view token) const;

  // The sessions whose time is not over, of one user or, without one, of all; newest first.
  std::vector<Found> list(const std::optional<std::string>& user_id) const;

  // Notes that the session of that token is in use.
  void saw(std::string_view token);

  // Ends the session of that token. kUnavailable: that could not be stored, and the session
  // continues.
  Status end(std::string_view token);

  // Ends the sessions that `which` chooses, those included whose begin() is under way unless the
  // user was erased before; returns how many. Those whose time is over are not
  // counted, but erased from the store. kUnavailable: as of end(), for those that are left.
  Result<std::size_t> end_all(const std::function<bool(const Found&)>& which);

  // What another node reported. kUnavailable: not stored; it is in force until a restart.
  Status apply(const SessionChange& change);

  // Erases the sessions whose time is over, also from the store. To be called often: it looks at
  // them every ten minutes.
  void drop_ended();

 private:
  Status end_digest(const std::string& digest);
  std::optional<Session> session_of(const std::string& digest) const;
  void put(const std::string& digest, const Session& session);
  bool erase(const std::string& digest);  // whether there was one

  SessionStore& store_;
  const KeyDigest& digest_;
  const Clock& clock_;
  const IdSource& ids_;
  const OnChange on_change_;
  const IsErased is_erased_;
  std::shared_mutex beginning_;  // shared by each begin() until it has told of its session
  // Held while what is stored of a known session changes, and locked before mutex_, which is never
  // held then: threads of the server would wait for a disk.
  std::mutex storing_;
  Timestamp dropped_at_ = {};        // guarded by storing_
  mutable std::shared_mutex mutex_;  // guards what follows
  std::unordered_map<std::string, Session> by_digest_;
};

}  // namespace tilth
