// Signed-in users prove again who they are, before they change how they sign in: someone who found
// the browser open, or took its session, cannot.

#pragma once

#include <optional>
#include <string>

#include "api/dashboard/dashboard.h"

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

}  // namespace tilth
