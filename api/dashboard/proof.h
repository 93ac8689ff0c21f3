// Signed-in users prove again who they are, before they change how they sign in: someone who found
// the browser open, or took its session, cannot.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/dashboard/dashboard.h"
#include "api/routing/read_request.h"

namespace tilth {

// kRateLimited: that user's password was guessed too often in this way. Counted apart from
// sign-ins, so that it locks no one out.
Status check_guesses(Dashboard& dashboard, const User& user);

// Whether the call proves that it comes from `user`: by the password, or, if the account has none,
// by a sign-in at the provider a moment ago. Verifies a password: not on a server thread.
//
//   kWrongPassword  it does not.
//   kRateLimited    as above.
Status prove(Dashboard& dashboard, const Call& call, const User& user,
             const std::optional<std::string>& password);

// Runs `work`, which may prove(), on a thread for passwords; answers 503 if too many wait for one.
void on_password_thread(Dashboard& dashboard, const Call& call, std::function<void()> work);

// Reads a Request whose member `password` is required of a user who has one, and passes that to
// `then` on a thread for passwords. Answers the call itself if check_guesses() or the body fails.
template <class Request>
void with_password(Dashboard& dashboard, const Call& call,
                   void (*then)(Dashboard&, const Call&, const std::optional<std::string>&)) {
  if (const auto may = check_guesses(dashboard, *call.user); !may) return call.answer(may.error());
  Request request;
  Issues issues;
  read_body(call.request().body, request, issues);
  if (call.user->password_hash && !request.password && issues.empty()) {
    issues["password"].emplace_back("is required");
  }
  if (!issues.empty()) {
    return call.answer(Error{ErrorCode::kInvalid, "The request is not valid.", std::move(issues)});
  }
  on_password_thread(dashboard, call,
                     [&dashboard, call, then, password = std::move(request.password)] {
                       then(dashboard, call, password);
                     });
}

}  // namespace tilth
