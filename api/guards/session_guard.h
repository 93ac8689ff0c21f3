// Admits signed-in users by their session cookie, and counts their requests.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/exchange.h"
#include "api/usage/rate_limiter.h"
#include "api/usage/sessions.h"
#include "command/loop/command_loop.h"
#include "events/values/result.h"
#include "events/values/time.h"
#include "projections/access/user.h"

namespace tilth {

// Threads: any.
class SessionGuard {
 public:
  static constexpr std::string_view kCookie = "tilth_session";
  static constexpr std::uint64_t kPerMinute = 600;  // per user

  // Borrowed; must outlive the guard. `access` holds the users.
  SessionGuard(const Sessions& sessions, const CommandLoop& access, RateLimiter& limiter,
               const Clock& clock)
      : sessions_(sessions), access_(access), limiter_(limiter), clock_(clock) {}

  // The signed-in user; null without a session.
  std::shared_ptr<const User> identify(const HttpRequest& request) const;

  // The account with that id; null if there is none.
  std::shared_ptr<const User> find(const std::string& user_id) const;

  // Counts per user in a one-minute window, separate from the plan's window. kRateLimited.
  Status admit(Exchange& exchange, const User& user) const;

 private:
  const Sessions& sessions_;
  const CommandLoop& access_;
  RateLimiter& limiter_;
  const Clock& clock_;
};

// All values of that cookie in the request, valid or not.
std::vector<std::string> cookies_of(const HttpRequest& request, std::string_view name);

}  // namespace tilth
