// Sign-in with an email and a password, sign-out, and the signed-in user.

#include <utility>

#include "api/dashboard/dashboard.h"

namespace tilth {
namespace {

const Error kWrong{ErrorCode::kWrongPassword, "The email or the password is wrong."};
const Error kBusy{.code = ErrorCode::kUnavailable,
                  .message = "Too many people are signing in at the moment.",
                  .retry_after_seconds = 1};

struct Credentials {
  std::string email;
  std::string password;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("email", email, {.required = true, .min_length = 1, .max_length = 254}),
       member("password", password, {.required = true}));
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

// Failures are counted per email, ignoring case, and per address.
std::string of_email(const std::string& email) { return "email " + fold_case(email); }
std::string of_address(const std::string& client) { return "address " + client; }

Status check_throttle(Dashboard& dashboard, const std::string& subject) {
  const auto seconds =
      dashboard.parts().login_throttle.closed_for(subject, dashboard.parts().clock.now());
  if (!seconds) return kDone;
  return Error{.code = ErrorCode::kRateLimited,
               .message = "Signing in failed too often. Wait a while.",
               .retry_after_seconds = *seconds};
}

Status check_throttle(Dashboard& dashboard, const Call& call, const Credentials& said) {
  const auto address = check_throttle(dashboard, of_address(call.client));
  return address ? check_throttle(dashboard, of_email(said.email)) : address;
}

// On a worker thread. A wrong password, an unknown email and a disabled user take the same path.
void check(Dashboard& dashboard, const Call& call, const Credentials& said) {
  if (const auto may = check_throttle(dashboard, call, said); !may) return call.answer(may.error());
  const auto user = find_user_by_email(dashboard.access_view().rows, said.email);
  const bool right =
      dashboard.parts().verify(user ? user->password_hash : std::nullopt, said.password);
  // Others may have failed meanwhile: never confirm more guesses than are allowed.
  if (const auto may = check_throttle(dashboard, call, said); !may) return call.answer(may.error());
  if (!right || !user || user->disabled_at) {
    const auto now = dashboard.parts().clock.now();
    dashboard.parts().login_throttle.failed(of_address(call.client), now);
    dashboard.parts().login_throttle.failed(of_email(said.email), now);
    return call.answer(kWrong);
  }
  auto cookie = dashboard.begin_session(call, *user, SignInMethod::kPassword);
  if (!cookie) return call.answer(cookie.error());
  auto response = shown(*user);
  response.headers.push_back(std::move(*cookie));
  call.answer(std::move(response));
}

void sign_in(Dashboard& dashboard, const Call& call) {
  if (const auto may = check_throttle(dashboard, of_address(call.client)); !may) {
    return call.answer(may.error());
  }
  Credentials said;
  Issues issues;
  read_body(call.request().body, said, issues);
  if (!issues.empty()) {
    return call.answer(Error{ErrorCode::kInvalid, "The request is not valid.", std::move(issues)});
  }
  const bool posted = dashboard.parts().workers.post([&dashboard, call, said = std::move(said)] {
    dashboard.parts().row_faults.guard(call.exchange, [&] { check(dashboard, call, said); });
  });
  if (!posted) call.answer(kBusy);
}

HttpResponse signed_out(const Dashboard& dashboard, const Call& call) {
  return {204, {{"Set-Cookie", dashboard.session_cookie(call.request(), {})}}};
}

// Location says where the browser ends its session at the provider, too.
void sign_out_at_provider(Dashboard& dashboard, const Call& call) {
  const auto own = OwnOrigin::of(call.request(), dashboard.settings().trusted_proxies);
  auto response = signed_out(dashboard, call);
  if (auto url = dashboard.settings().provider->sign_out_url(own.text() + "/")) {
    response.headers.emplace_back("Location", std::move(*url));
  }
  call.answer(std::move(response));
}

void sign_out(Dashboard& dashboard, const Call& call) {
  bool by_provider = false;
  for (const auto& token : dashboard.cookies().values(call.request(), SessionGuard::kCookie)) {
    const auto found = dashboard.parts().sessions.find(token);
    by_provider = by_provider || (found && found->session.by.method == SignInMethod::kProvider);
    if (const auto ended = dashboard.parts().sessions.end(token); !ended) {
      return call.answer(ended.error());
    }
  }
  const bool posted = by_provider && dashboard.settings().provider != nullptr &&
                      dashboard.parts().provider_threads.post(
                          [&dashboard, call] { sign_out_at_provider(dashboard, call); });
  if (!posted) call.answer(signed_out(dashboard, call));
}

struct Ways {
  bool password = true;
  std::optional<std::string> provider;  // its display name

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("password", password), member("provider", provider));
  }
};

void ways(Dashboard& dashboard, const Call& call) {
  Ways there;
  if (const auto* provider = dashboard.settings().provider) there.provider = provider->name();
  call.answer(json_response(200, JsonWriter::text(there)));
}

void me(Dashboard&, const Call& call) { call.answer(shown(*call.user)); }

}  // namespace

std::vector<DashboardRoute> sign_in_routes() {
  const auto user = [] { return object_schema({{"user", answer_schema<ShownUser>()}}); };
  return {
      dashboard_route(
          "POST", "/api/auth/sign-in", Guard::kAddress, "Sign in", sign_in,
          Description{.body = request_schema<Credentials>, .answer = user, .refusals = {400}}),
      dashboard_route("POST", "/api/auth/sign-out", Guard::kNone, "Sign out", sign_out,
                      Description{.status = 204}),
      dashboard_route("GET", "/api/auth", Guard::kNone, "Show the ways to sign in", ways,
                      Description{.answer = answer_schema<Ways>}),
      dashboard_route("GET", "/api/me", Guard::kSession, "Show who is signed in", me,
                      Description{.answer = user}),
  };
}

}  // namespace tilth
