// Keeps people from trying out passwords: how often signing in failed, by email and by address.

#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "api/rate_limiter.h"
#include "events/time.h"

namespace tilth {

// Threads: any. A restart forgets: whoever could cause one needs no guesses.
class Guesses {
 public:
  static constexpr std::uint64_t kMost = 10;
  static constexpr std::chrono::minutes kWindow{15};

  // Null: another attempt may be made for `subject`, an email or an address. Else in how many
  // seconds.
  std::optional<std::int64_t> closed_for(const std::string& subject, Timestamp now);

  void failed(const std::string& subject, Timestamp now);

 private:
  void drop_idle(Timestamp now);

  std::mutex mutex_;
  std::unordered_map<std::string, SlidingWindow> failures_;
  std::size_t crowd_ = 4'096;  // so many, and those without a failure in the window are dropped
};

}  // namespace tilth
