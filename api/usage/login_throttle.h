// Limits password guessing: counts failed sign-ins by email and by address.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/keys/key_digest.h"
#include "api/usage/rate_limiter.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// Port: stores failures beyond the process, under a digest of their subject. Threads: any.
class LoginThrottleStore {
 public:
  using Failures = std::vector<std::pair<Timestamp, std::uint32_t>>;  // instants and counts
  using Each = std::function<void(const std::string& digest, const Failures&)>;

  virtual ~LoginThrottleStore() = default;
  // Replaces what was stored. kUnavailable: the write failed, and nothing changed.
  virtual Status keep(const std::string& digest, const Failures& failures) = 0;
  virtual Status forget(const std::string& digest) = 0;
  // kUnavailable: some could not be read.
  virtual Status read(const Each& each) = 0;
};

// Threads: any; closed_for() does not wait for the store. Crash: a failure survives once failed()
// has returned, if the store took it.
class LoginThrottle {
 public:
  static constexpr std::uint64_t kMost = 10;
  static constexpr std::chrono::minutes kWindow{15};

  // Both must outlive it.
  LoginThrottle(LoginThrottleStore& store, const KeyDigest& digest)
      : store_(store), digest_(digest) {}

  // Loads what was stored. kUnavailable: some could not be read.
  Status restore(Timestamp now);

  // Null: another attempt is allowed for `subject`, an email or an address. Else the seconds until
  // then.
  std::optional<std::int64_t> closed_for(const std::string& subject, Timestamp now);

  // A failure that cannot be stored counts until a restart, and is stored with the next one.
  void failed(const std::string& subject, Timestamp now);

 private:
  void drop_idle(Timestamp now);  // with changing_ held

  LoginThrottleStore& store_;
  const KeyDigest& digest_;
  // Held while a failure is counted, also while it is stored. Not by closed_for(), which threads
  // call that own sockets and must not wait for a disk.
  std::mutex changing_;
  std::mutex mutex_;                                         // guards failures_
  std::unordered_map<std::string, SlidingWindow> failures_;  // by the subject's digest
  std::size_t crowd_ = 4'096;  // at this size, subjects without a failure in the window are dropped
};

}  // namespace tilth
