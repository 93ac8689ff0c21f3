// Keeps over restarts who is signed in, next to the use of limits: the node's own affair, and no
// part of the history.

#pragma once

#include "api/usage/sessions.h"
#include "infra/usage/usage_store.h"

namespace tilth {

// Threads: any. Crash: what keep() and forget() returned from is with the system, without fsync.
class KeptSessions final : public SessionStore {
 public:
  explicit KeptSessions(UsageStore& usage) : usage_(usage) {}

  Status keep(const std::string& digest, const Session& session) override;
  Status forget(const std::string& digest) override;
  Status read(const Each& each) override;

 private:
  UsageStore& usage_;
};

}  // namespace tilth
