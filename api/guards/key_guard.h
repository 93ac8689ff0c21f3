// Admits requests that carry an API key and come from an address allowed for it. Counts each
// request for the user and for the key.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/http/exchange.h"
#include "api/keys/key_digest.h"
#include "api/keys/key_ring.h"
#include "api/usage/byte_quota.h"
#include "api/usage/rate_limiter.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// The limits of a plan.
struct PlanLimits {
  std::uint64_t requests_per_hour = 0;
  std::optional<std::int64_t> farms = 0;  // null: unlimited
  std::optional<std::int64_t> bytes_per_hour = {};
};
using PlanLookup = std::function<PlanLimits(const std::string& plan)>;

// Threads: any.
class KeyGuard : public RequestCounter {
 public:
  using Holder = std::shared_ptr<const KeyHolder>;

  // Borrowed; must outlive the guard. `bytes` limits changes.
  KeyGuard(const KeyRing& keys, const KeyDigest& digest, RateLimiter& limiter, const Clock& clock,
           PlanLookup plan, ByteQuota* bytes = nullptr)
      : keys_(keys),
        digest_(digest),
        limiter_(limiter),
        clock_(clock),
        plan_(std::move(plan)),
        bytes_(bytes) {}

  // The holder of the request's key, as far as this node knows. Errors: those of authenticate().
  Result<Holder> identify(const HttpRequest& request) const;

  // Whether admit() would admit a request of that holder now; counts nothing.
  bool would_admit(const std::string& client, const KeyHolder& holder) const;

  // kRateLimited: too many requests, or too many bytes of changes for another one. kIpNotAllowed.
  Status admit(Exchange& exchange, const std::string& client, const KeyHolder& holder) const;

  // The admitted request counts as that many more. kRateLimited: then it does not count at all.
  Status admit_further(Exchange& exchange, const KeyHolder& holder,
                       RateLimiter::Further further) const;

  Timestamp take_back(const Exchange& exchange) const override;

 private:
  const KeyRing& keys_;
  const KeyDigest& digest_;
  RateLimiter& limiter_;
  const Clock& clock_;
  const PlanLookup plan_;
  ByteQuota* const bytes_;  // null: not limited
};

}  // namespace tilth
