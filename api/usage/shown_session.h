// A session as its user and operators see it, without what would open it.

#pragma once

#include <optional>
#include <string>

#include "api/usage/sessions.h"

namespace tilth {

struct ShownSession {
  std::string id;
  SignInMethod method = {};
  Timestamp created_at = {};
  Timestamp last_seen_at = {};
  Timestamp expires_at = {};
  std::optional<std::string> address;
  std::optional<std::string> browser;

  static ShownSession of(const Sessions::Found& found) {
    const auto& [id, session] = found;
    return {id,
            session.by.method,
            session.began_at,
            session.seen_at,
            session.ends_at,
            session.by.address,
            session.by.browser};
  }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("method", method, {.doc = "How the user proved who they are."}),
       member("createdAt", created_at),
       member("lastSeenAt", last_seen_at, {.doc = "To the minute."}),
       member("expiresAt", expires_at),
       member("address", address, {.doc = "Where the user signed in."}),
       member("browser", browser, {.doc = "What the browser called itself."}));
  }
};

}  // namespace tilth
