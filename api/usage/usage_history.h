// How many requests came with each API key, hour by hour: for owners who look at their usage over
// time. It is no part of the history.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// What came with one key in one hour.
struct HourOfKey {
  Timestamp hour = {};  // its beginning
  std::string key_id;
  std::int64_t requests = 0;
  std::int64_t limited = 0;  // of these, those that were answered with 429

  friend bool operator==(const HourOfKey&, const HourOfKey&) = default;
};

// Port. Threads: any.
class UsageHistory {
 public:
  static constexpr std::chrono::hours kKept{35 * 24};

  virtual ~UsageHistory() = default;

  // The hours of the owner's keys that end after `since`, by hour and key; those without requests
  // are left out. None is older than kKept.
  //
  //   kUnavailable, kDamaged  they cannot be read.
  virtual Result<std::vector<HourOfKey>> find(const std::string& owner, Timestamp since,
                                              Timestamp now) = 0;
};

}  // namespace tilth
