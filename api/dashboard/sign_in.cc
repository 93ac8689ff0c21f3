// Signing in with an email and a password, signing out, and who one is.

#include <utility>

#include "api/dashboard/dashboard.h"

namespace tilth {
namespace {

const Error kWrong{ErrorCode::kWrongPassword, "The email or the password is wrong."};
const Error kBusy{.code = ErrorCode::kUnavailable,
                  .message = "Too many people are signing in at this moment.",
                  .retry_after_seconds = 1};

struct Credentials {
  std::string email;
  std::string password;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("email", email, {.required = true, .min_length = 1, .max_length = 254}),
       member("password", password, {.required = true, .min_length = 8, .max_length = 200}));
  }
};

struct ShownUser {
  std::string id;
  std::string email;
  std::optional<std::string> name;
  std::string plan;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id), member("email", email), member("name", name), member("plan", plan));
  }
};

HttpResponse shown(const User& user) {
  const ShownUser seen{user.user_id, user.email, user.name, user.plan};
  return json_response(200, "{\"user\":" + JsonWriter::text(seen) + "}");
}

// What failures count for: the email, whatever its case, and the address.
std::string of_email(const std::string& email) { return "email " + fold_case(email); }
std::string of_address(const std::string& client) { return "address " + client; }

Status not_guessing(Dashboard& dashboard, const std::string& subject) {
  const auto seconds =
      dashboard.parts().login_throttle.closed_for(subject, dashboard.parts().clock.now());
  if (!seconds) return kDone;
  return Error{.code = ErrorCode::kRateLimited,
               .message = "Signing in failed too often. Wait a while.",
               .retry_after_seconds = *seconds};
}

Status not_guessing(Dashboard& dashboard, const DashboardCall& call, const Credentials& said) {
  const auto address = not_guessing(dashboard, of_address(call.client));
  return address ? not_guessing(dashboard, of_email(said.email)) : address;
}

// On a worker's thread. A wrong password and an unknown email take the same way.
void check(Dashboard& dashboard, const DashboardCall& call, const Credentials& said) {
  if (const auto may = not_guessing(dashboard, call, said); !may) return call.answer(may.error());
  const auto user = find_user_by_email(dashboard.access_view().rows, said.email);
  const bool right =
      dashboard.parts().verify(user ? user->password_hash : std::nullopt, said.password);
  // Others may have failed meanwhile: no one learns of more guesses than are allowed.
  if (const auto may = not_guessing(dashboard, call, said); !may) return call.answer(may.error());
  if (!right || !user) {
    const auto now = dashboard.parts().clock.now();
    dashboard.parts().login_throttle.failed(of_address(call.client), now);
    dashboard.parts().login_throttle.failed(of_email(said.email), now);
    return call.answer(kWrong);
  }
  const auto token = dashboard.parts().sessions.begin(user->user_id);
  if (!token) return call.answer(token.error());
  auto response = shown(*user);
  response.headers.emplace_back("Set-Cookie", dashboard.session_cookie(call.request(), *token));
  call.answer(std::move(response));
}

void sign_in(Dashboard& dashboard, const DashboardCall& call) {
  if (const auto may = not_guessing(dashboard, of_address(call.client)); !may) {
    return call.answer(may.error());
  }
  Credentials said;
  Issues issues;
  read_body(call.request().body, said, issues);
  if (!issues.empty()) {
    return call.answer(Error{ErrorCode::kInvalid, "The request is not valid.", std::move(issues)});
  }
  const bool posted = dashboard.parts().workers.post([&dashboard, call, said = std::move(said)] {
    dashboard.from_rows(call.exchange, [&] { check(dashboard, call, said); });
  });
  if (!posted) call.answer(kBusy);
}

void sign_out(Dashboard& dashboard, const DashboardCall& call) {
  for (const auto& token : Dashboard::cookies(call.request(), Dashboard::kCookie)) {
    if (const auto ended = dashboard.parts().sessions.end(token); !ended) {
      return call.answer(ended.error());
    }
  }
  call.answer(HttpResponse{204, {{"Set-Cookie", dashboard.session_cookie(call.request(), {})}}});
}

struct Ways {
  bool password = true;
  std::optional<std::string> provider;  // how people know it

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("password", password), member("provider", provider));
  }
};

void ways(Dashboard& dashboard, const DashboardCall& call) {
  Ways there;
  if (const auto* provider = dashboard.settings().provider) there.provider = provider->name();
  call.answer(json_response(200, JsonWriter::text(there)));
}

void me(Dashboard&, const DashboardCall& call) { call.answer(shown(*call.user)); }

}  // namespace

std::vector<DashboardRoute> sign_in_routes() {
  const auto user = object_schema({{"user", answer_schema<ShownUser>()}});
  return {
      {"POST",
       "/api/auth/sign-in",
       Caller::kStranger,
       "Sign in",
       sign_in,
       {},
       DashboardWords{
           .body_schema = request_schema<Credentials>(), .answer_schema = user, .refusals = {400}}},
      {"POST",
       "/api/auth/sign-out",
       Caller::kAnyone,
       "Sign out",
       sign_out,
       {},
       DashboardWords{.status = 204}},
      {"GET",
       "/api/auth",
       Caller::kAnyone,
       "Show the ways to sign in",
       ways,
       {},
       DashboardWords{.answer_schema = answer_schema<Ways>()}},
      {"GET",
       "/api/me",
       Caller::kSession,
       "Show who is signed in",
       me,
       {},
       DashboardWords{.answer_schema = user}},
  };
}

}  // namespace tilth
