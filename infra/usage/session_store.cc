#include "infra/usage/session_store.h"

#include <chrono>

namespace tilth {
namespace {

constexpr char kSession = 's';  // before the digest in an entry's key

// The session's end as text, and its user's id.
std::string bytes_of(const Session& session) {
  return session.ends_at.text() + " " + session.user_id;
}

std::optional<Session> read_session(std::string_view bytes) {
  const auto blank = bytes.find(' ');
  if (blank == bytes.npos) return std::nullopt;
  const auto ends_at = Timestamp::parse(bytes.substr(0, blank));
  return ends_at ? std::optional(Session{std::string(bytes.substr(blank + 1)), *ends_at})
                 : std::nullopt;
}

}  // namespace

Status KeptSessions::keep(const std::string& digest, const Session& session) {
  return usage_.keep_entry(kSession + digest, bytes_of(session));
}

Status KeptSessions::forget(const std::string& digest) {
  return usage_.forget_entry(kSession + digest);
}

Status KeptSessions::read(const Each& each) {
  return usage_.read_entries(kSession, [&](std::string_view key, std::string_view value) {
    if (const auto session = read_session(value)) each(std::string(key.substr(1)), *session);
  });
}

}  // namespace tilth
