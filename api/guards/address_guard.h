// Counts requests per client address, for IPv6 per /64.

#pragma once

#include <cstdint>

#include "api/http/exchange.h"
#include "api/usage/rate_limiter.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// Threads: any.
class AddressGuard {
 public:
  AddressGuard(RateLimiter& limiter, const Clock& clock, std::uint64_t per_minute)
      : limiter_(limiter), clock_(clock), per_minute_(per_minute) {}

  // What remains for the address; does not count.
  RateVerdict look(const std::string& client) const;

  // kRateLimited: the address has used up its window.
  Status count(Exchange& exchange, const std::string& client) const;

 private:
  RateLimiter& limiter_;
  const Clock& clock_;
  const std::uint64_t per_minute_;
};

}  // namespace tilth
