// Keeps over restarts how often signing in failed, beside the use of limits: the node's own affair,
// and no part of the history.

#pragma once

#include "api/dashboard/guesses.h"
#include "infra/rocksdb/usage_store.h"

namespace tilth {

// Threads: any. Crash: what keep() and forget() returned from is with the system, without fsync.
class KeptGuesses final : public GuessStore {
 public:
  explicit KeptGuesses(UsageStore& usage) : usage_(usage) {}

  Status keep(const std::string& digest, const Failures& failures) override;
  Status forget(const std::string& digest) override;
  Status read(const Each& each) override;

 private:
  UsageStore& usage_;
};

}  // namespace tilth
