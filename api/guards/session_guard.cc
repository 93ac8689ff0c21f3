#include "api/guards/session_guard.h"

namespace tilth {

bool is_valid(const Session& session, const User& user) {
  return !user.disabled_at && session.by.epoch >= user.session_epoch;
}

std::shared_ptr<const User> SessionGuard::identify(const HttpRequest& request) const {
  for (const auto& token : cookies_.values(request, kCookie)) {
    const auto found = sessions_.find(token);
    if (!found) continue;
    auto user = find(found->session.by.user_id);
    if (!user || !is_valid(found->session, *user)) continue;
    sessions_.saw(token);
    return user;
  }
  return nullptr;
}

std::shared_ptr<const User> SessionGuard::find(const std::string& user_id) const {
  const auto view = access_.projector().view(std::string(kAccessStream));
  auto user = find_user(view->rows, user_id);
  return user ? std::make_shared<const User>(std::move(*user)) : nullptr;
}

bool SessionGuard::would_admit(const User& user) const {
  return limiter_.look_at_address(user.user_id, kPerMinute, clock_.now()).remaining > 0;
}

Status SessionGuard::admit(Exchange& exchange, const User& user) const {
  const auto rate = limiter_.count_address(user.user_id, kPerMinute, clock_.now());
  exchange.set_rate(rate, this);
  if (!rate.allowed) return rate_refusal(rate);
  return kDone;
}

Timestamp SessionGuard::take_back(const Exchange& exchange) const {
  const auto now = clock_.now();
  limiter_.take_back_of_address(exchange.account(), now);
  return now;
}

Status SessionGuard::admit_further(Exchange& exchange, const User& user,
                                   RateLimiter::Further further) const {
  const auto rate =
      limiter_.count_further_of_address(user.user_id, kPerMinute, further, clock_.now());
  exchange.set_rate(rate);
  if (!rate.allowed) return rate_refusal(rate);
  return kDone;
}

}  // namespace tilth
