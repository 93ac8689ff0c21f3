#include "api/guards/session_guard.h"

#include <algorithm>

namespace tilth {

std::shared_ptr<const User> SessionGuard::identify(const HttpRequest& request) const {
  for (const auto& token : cookies_of(request, kCookie)) {
    if (const auto user_id = sessions_.user_of(token)) return find(*user_id);
  }
  return nullptr;
}

std::shared_ptr<const User> SessionGuard::find(const std::string& user_id) const {
  const auto view = access_.projector().view(std::string(kAccessStream));
  auto user = find_user(view->rows, user_id);
  return user ? std::make_shared<const User>(std::move(*user)) : nullptr;
}

Status SessionGuard::admit(Exchange& exchange, const User& user) const {
  const auto rate = limiter_.count_address(user.user_id, kPerMinute, clock_.now());
  exchange.set_rate(rate);
  if (!rate.allowed) return rate_refusal(rate);
  return kDone;
}

std::vector<std::string> cookies_of(const HttpRequest& request, std::string_view name) {
  constexpr std::size_t kMost = 8;  // of one name: more than any browser sends
  std::vector<std::string> values;
  const auto wanted = std::string(name) + "=";
  for (const auto& [header, text] : request.headers) {
    if (header != "cookie") continue;
    for (std::string_view rest = text; !rest.empty() && values.size() < kMost;) {
      rest.remove_prefix(std::min(rest.find_first_not_of("; \t"), rest.size()));
      const auto cookie = rest.substr(0, rest.find(';'));
      if (cookie.starts_with(wanted)) values.emplace_back(cookie.substr(wanted.size()));
      rest.remove_prefix(cookie.size());
    }
  }
  return values;
}

}  // namespace tilth
