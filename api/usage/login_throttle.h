// Keeps people from trying out passwords: how often signing in failed, by email and by address.

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

// Port: where failures outlive the process, under a digest of whom they count for. Threads: any.
class LoginThrottleStore {
 public:
  using Failures = std::vector<std::pair<Timestamp, std::uint32_t>>;  // instants and counts
  using Each = std::function<void(const std::string& digest, const Failures&)>;

  virtual ~LoginThrottleStore() = default;
  // In place of what was kept before. kUnavailable: it could not be written, and nothing changed.
  virtual Status keep(const std::string& digest, const Failures& failures) = 0;
  virtual Status forget(const std::string& digest) = 0;
  // kUnavailable: not all could be read.
  virtual Status read(const Each& each) = 0;
};

// Threads: any. Crash: what failed() returned from holds afterwards, if the store took it.
class LoginThrottle {
 public:
  static constexpr std::uint64_t kMost = 10;
  static constexpr std::chrono::minutes kWindow{15};

  // Both outlive the guesses.
  LoginThrottle(LoginThrottleStore& store, const KeyDigest& digest)
      : store_(store), digest_(digest) {}

  // Takes up what was kept. kUnavailable: not all could be read.
  Status restore(Timestamp now);

  // Null: another attempt may be made for `subject`, an email or an address. Else in how many
  // seconds.
  std::optional<std::int64_t> closed_for(const std::string& subject, Timestamp now);

  // What cannot be kept counts until a restart, and is kept with the subject's next failure.
  void failed(const std::string& subject, Timestamp now);

 private:
  void drop_idle(Timestamp now);

  LoginThrottleStore& store_;
  const KeyDigest& digest_;
  std::mutex mutex_;
  std::unordered_map<std::string, SlidingWindow> failures_;  // by the subject's digest
  std::size_t crowd_ = 4'096;  // so many, and those without a failure in the window are dropped
};

}  // namespace tilth
