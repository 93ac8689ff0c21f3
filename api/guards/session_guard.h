// Admits signed-in users by their session cookie, and counts their requests.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/guards/cookie_policy.h"
#include "api/http/exchange.h"
#include "api/usage/rate_limiter.h"
#include "api/usage/sessions.h"
#include "command/loop/command_loop.h"
#include "events/values/result.h"
#include "events/values/time.h"
#include "projections/access/user.h"

namespace tilth {

// Whether the session is in force: its user may sign in, and has not ended all sessions since it
// began. The log decides, so a node that knows of the change refuses it, however it was missed.
bool is_valid(const Session& session, const User& user);

// Threads: any.
class SessionGuard : public RequestCounter {
 public:
  static constexpr std::string_view kCookie = "tilth_session";
  static constexpr std::uint64_t kPerMinute = 600;  // per user

  // Borrowed; must outlive the guard. `access` holds the users.
  SessionGuard(Sessions& sessions, const CommandLoop& access, RateLimiter& limiter,
               const Clock& clock, CookiePolicy cookies)
      : sessions_(sessions),
        access_(access),
        limiter_(limiter),
        clock_(clock),
        cookies_(std::move(cookies)) {}

  // The signed-in user; null without a valid session.
  std::shared_ptr<const User> identify(const HttpRequest& request) const;

  // The account with that id; null if there is none.
  std::shared_ptr<const User> find(const std::string& user_id) const;

  // Whether admit() would admit a request of that user now; counts nothing.
  bool would_admit(const User& user) const;

  // Counts per user in a one-minute window, separate from the plan's window. kRateLimited.
  Status admit(Exchange& exchange, const User& user) const;

  // The admitted request counts as that many more. kRateLimited: then it does not count at all.
  Status admit_further(Exchange& exchange, const User& user, RateLimiter::Further further) const;

  Timestamp take_back(const Exchange& exchange) const override;

 private:
  Sessions& sessions_;
  const CommandLoop& access_;
  RateLimiter& limiter_;
  const Clock& clock_;
  const CookiePolicy cookies_;
};

}  // namespace tilth
