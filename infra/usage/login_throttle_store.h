// Persists failed sign-ins over restarts, in the usage store: local to the node, and no part of the
// history.

#pragma once

#include "api/usage/login_throttle.h"
#include "infra/usage/usage_store.h"

namespace tilth {

// Threads: any. Crash: once keep() or forget() has returned, the operating system has the change,
// without fsync.
class RocksLoginThrottleStore final : public LoginThrottleStore {
 public:
  explicit RocksLoginThrottleStore(UsageStore& usage) : usage_(usage) {}

  Status keep(const std::string& digest, const Failures& failures) override;
  Status forget(const std::string& digest) override;
  Status read(const Each& each) override;

 private:
  UsageStore& usage_;
};

}  // namespace tilth
