#include "api/dashboard/proof.h"

#include <utility>

namespace tilth {
namespace {

constexpr std::chrono::minutes kJustNow{10};

const Error kWrongProof{ErrorCode::kWrongPassword, "The password is wrong."};
const Error kSignInAgain{ErrorCode::kWrongPassword,
                         "Sign in again, and repeat this within ten minutes."};

std::string guesses_at(const User& user) { return "password of " + user.user_id; }

const Error kTooManyAtOnce{.code = ErrorCode::kUnavailable,
                           .message = "Too many people are signing in at the moment.",
                           .retry_after_seconds = 1};

}  // namespace

Status check_guesses(Dashboard& dashboard, const User& user) {
  const auto seconds =
      dashboard.parts().login_throttle.closed_for(guesses_at(user), dashboard.parts().clock.now());
  if (!seconds) return kDone;
  return Error{.code = ErrorCode::kRateLimited,
               .message = "The password was wrong too often. Wait a while.",
               .retry_after_seconds = *seconds};
}

Status prove(Dashboard& dashboard, const Call& call, const User& user,
             const std::optional<std::string>& password) {
  if (!user.password_hash) {
    const auto current = dashboard.current_session(call);
    const bool recent = current && call.now.at < current->session.began_at.at + kJustNow;
    return recent ? Status(kDone) : kSignInAgain;
  }
  const bool right = dashboard.parts().verify(user.password_hash, password.value_or(""));
  // Others may have failed meanwhile: never confirm more guesses than are allowed.
  if (const auto may = check_guesses(dashboard, user); !may) return may;
  if (right) return kDone;
  dashboard.parts().login_throttle.failed(guesses_at(user), dashboard.parts().clock.now());
  return kWrongProof;
}

void on_password_thread(Dashboard& dashboard, const Call& call, std::function<void()> work) {
  dashboard.run_on(dashboard.parts().passwords, WorkKind::kPassword, call.client, call,
                   std::move(work), [call](const Error&) { call.answer(kTooManyAtOnce); });
}

}  // namespace tilth
