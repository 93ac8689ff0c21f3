#include "api/guards/address_guard.h"

#include "api/http/address.h"

namespace tilth {

RateVerdict AddressGuard::look(const std::string& client) const {
  return limiter_.look_at_address(counted_address(client), per_minute_, clock_.now());
}

Status AddressGuard::count(Exchange& exchange, const std::string& client) const {
  const auto rate = limiter_.count_address(counted_address(client), per_minute_, clock_.now());
  exchange.set_rate(rate);
  if (!rate.allowed) return rate_refusal(rate);
  return kDone;
}

}  // namespace tilth
