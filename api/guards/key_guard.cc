#include "api/guards/key_guard.h"

#include <algorithm>

#include "api/http/address.h"
#include "api/keys/authentication.h"

namespace tilth {
namespace {

bool is_change(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "DELETE";
}

bool may_come_from(const KeyHolder& holder, const std::string& client) {
  if (!holder.allowed_ips) return true;
  const auto address = Address::parse(client);
  return address && std::any_of(holder.allowed_ips->begin(), holder.allowed_ips->end(),
                                [&](const auto& network) { return network.contains(*address); });
}

}  // namespace

Result<KeyGuard::Holder> KeyGuard::identify(const HttpRequest& request) const {
  return authenticate(request, digest_, keys_, clock_.now());
}

bool KeyGuard::would_admit(const std::string& client, const KeyHolder& holder) const {
  return may_come_from(holder, client) &&
         limiter_.has_room_for_user(holder.user_id, plan_(holder.plan).requests_per_hour,
                                    holder.key_id, holder.rate_limit, clock_.now());
}

Status KeyGuard::admit(Exchange& exchange, const std::string& client,
                       const KeyHolder& holder) const {
  const auto now = clock_.now();
  const auto limits = plan_(holder.plan);
  if (bytes_ != nullptr && is_change(exchange.request().method)) {
    if (auto within = bytes_->check(holder.user_id, limits.bytes_per_hour, now); !within) {
      const auto seconds = within.error().retry_after_seconds;
      exchange.set_rate({.allowed = false,  // and not counted
                         .limit = limits.requests_per_hour,
                         .reset = passes_at(now, seconds),
                         .retry_after_seconds = seconds});
      return within;
    }
  }
  const auto rate = limiter_.count_user(holder.user_id, limits.requests_per_hour, holder.key_id,
                                        holder.rate_limit, now);
  exchange.set_rate(rate, this);
  if (!rate.allowed) return rate_refusal(rate);
  if (may_come_from(holder, client)) return kDone;
  return Error{ErrorCode::kIpNotAllowed, "The API key may not be used from this address."};
}

Status KeyGuard::admit_further(Exchange& exchange, const KeyHolder& holder,
                               RateLimiter::Further further) const {
  const auto rate =
      limiter_.count_further_of_user(holder.user_id, plan_(holder.plan).requests_per_hour,
                                     holder.key_id, holder.rate_limit, further, clock_.now());
  exchange.set_rate(rate);
  if (!rate.allowed) return rate_refusal(rate);
  return kDone;
}

Timestamp KeyGuard::take_back(const Exchange& exchange) const {
  const auto now = clock_.now();
  limiter_.take_back_of_user(exchange.account(), exchange.key_id(), now);
  return now;
}

}  // namespace tilth
