// Persists sessions over restarts, in the usage store: local to the node, and no part of the
// history.

#pragma once

#include "api/usage/sessions.h"
#include "infra/usage/usage_store.h"

namespace tilth {

// Threads: any. Crash: once keep() or forget() has returned, the operating system has the change,
// without fsync.
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
