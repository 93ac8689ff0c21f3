// Keeps over restarts how often signing in failed, next to the use of limits: the node's own
// affair, and no part of the history.

#pragma once

#include "api/usage/login_throttle.h"
#include "infra/usage/usage_store.h"

namespace tilth {

// Threads: any. Crash: what keep() and forget() returned from is with the system, without fsync.
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
