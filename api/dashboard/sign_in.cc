// Sign-in with an email and a password, sign-out, and the signed-in user.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/dashboard/dashboard.h"
#include "api/guards/guards.h"
#include "api/http/address.h"

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

struct SignedInUser {
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
  const SignedInUser seen{user.user_id, user.email, user.name, user.plan};
  return json_response(200, "{\"user\":" + JsonWriter::text(seen) + "}");
}

// Whose failures an attempt counts among: per email, ignoring case, and per address; but those of a
// browser in which this account has signed in before are its own, so that strangers cannot lock it
// out.
std::string of_email(const std::string& email) { return "email " + fold_case(email); }
std::string of_address(const std::string& client) { return "address " + counted_address(client); }

struct Attempt {
  Credentials credentials;
  std::optional<std::string> browser = {};  // the name of a known one

  std::vector<std::string> counted_by(const Call& call) const {
    if (browser) return {"browser " + *browser};
    return {of_address(call.client), of_email(credentials.email)};
  }
};

Status check_throttle(Dashboard& dashboard, const std::string& subject) {
  const auto seconds =
      dashboard.parts().login_throttle.closed_for(subject, dashboard.parts().clock.now());
  if (!seconds) return kDone;
  return Error{.code = ErrorCode::kRateLimited,
               .message = "Signing in failed too often. Wait a while.",
               .retry_after_seconds = *seconds};
}

Status check_throttle(Dashboard& dashboard, const Call& call, const Attempt& attempt) {
  for (const auto& subject : attempt.counted_by(call)) {
    if (auto may = check_throttle(dashboard, subject); !may) return may;
  }
  return kDone;
}

// On a worker thread. A wrong password, an unknown email and a disabled user take the same path.
void check(Dashboard& dashboard, const Call& call, const Attempt& attempt) {
  const auto& credentials = attempt.credentials;
  if (const auto may = check_throttle(dashboard, call, attempt); !may) {
    return call.answer(may.error());
  }
  const auto user = find_user_by_email(dashboard.access_view().rows, credentials.email);
  const bool right =
      dashboard.parts().verify(user ? user->password_hash : std::nullopt, credentials.password);
  // Others may have failed meanwhile: never confirm more guesses than are allowed.
  if (const auto may = check_throttle(dashboard, call, attempt); !may) {
    return call.answer(may.error());
  }
  if (!right || !user || user->disabled_at) {
    const auto now = dashboard.parts().clock.now();
    for (const auto& subject : attempt.counted_by(call)) {
      dashboard.parts().login_throttle.failed(subject, now);
    }
    return call.answer(kWrong);
  }
  auto cookie = dashboard.begin_session(call, *user, SignInMethod::kPassword);
  if (!cookie) return call.answer(cookie.error());
  auto response = shown(*user);
  response.headers.push_back(std::move(*cookie));
  response.headers.push_back(dashboard.known_cookie(call.request(), user->user_id));
  call.answer(std::move(response));
}

std::optional<std::string> known_browser(Dashboard& dashboard, const std::string& email,
                                         const std::vector<std::string>& cookies) {
  if (cookies.empty()) return std::nullopt;
  const auto user = find_user_by_email(dashboard.access_view().rows, email);
  return user ? dashboard.known_browsers().name_of(cookies, user->user_id) : std::nullopt;
}

void sign_in(Dashboard& dashboard, const Call& call) {
  const auto cookies = dashboard.cookies().values(call.request(), KnownBrowsers::kCookie);
  const auto may_from_here = check_throttle(dashboard, of_address(call.client));
  if (cookies.empty() && !may_from_here) return call.answer(may_from_here.error());
  Attempt attempt;
  auto& credentials = attempt.credentials;
  Issues issues;
  read_body(call.request().body, credentials, issues);
  if (!issues.empty()) {
    return call.answer(Error{ErrorCode::kInvalid, "The request is not valid.", std::move(issues)});
  }
  attempt.browser = known_browser(dashboard, credentials.email, cookies);
  if (const auto may = check_throttle(dashboard, call, attempt); !may) {
    return call.answer(may.error());
  }
  const SignInQueue::Asker asker{call.client, fold_case(credentials.email),
                                 attempt.browser.has_value()};
  const bool waits = dashboard.sign_ins().submit(
      asker, [&dashboard, call, attempt = std::move(attempt)](bool may_begin) {
        if (!may_begin || call.exchange->abandoned()) return call.answer(kBusy);
        dashboard.parts().row_faults.guard(call.exchange, [&] { check(dashboard, call, attempt); });
      });
  if (!waits) call.answer(kBusy);
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
  auto& sessions = dashboard.parts().sessions;
  const auto tokens = dashboard.cookies().values(call.request(), SessionGuard::kCookie);
  for (const auto& token : tokens) {
    const auto found = sessions.find(token);
    if (!found) continue;
    const auto shown = is_for(call.request(), found->session.by.user_id);
    if (!shown) return call.answer(shown.error());
  }
  bool by_provider = false;
  for (const auto& token : tokens) {
    const auto found = sessions.find(token);
    by_provider = by_provider || (found && found->session.by.method == SignInMethod::kProvider);
    if (const auto ended = sessions.end(token); !ended) {
      return call.answer(ended.error());
    }
  }
  if (!by_provider || dashboard.settings().provider == nullptr) {
    return call.answer(signed_out(dashboard, call));
  }
  dashboard.run_on(
      dashboard.parts().provider_threads, WorkKind::kProvider, call.client, call,
      [&dashboard, call] { sign_out_at_provider(dashboard, call); },
      [&dashboard, call](const Error&) { call.answer(signed_out(dashboard, call)); });
}

struct SignInMethods {
  bool password = true;
  std::optional<std::string> provider;  // its display name

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("password", password), member("provider", provider));
  }
};

void ways(Dashboard& dashboard, const Call& call) {
  SignInMethods there;
  if (const auto* provider = dashboard.settings().provider) there.provider = provider->name();
  call.answer(json_response(200, JsonWriter::text(there)));
}

void me(Dashboard&, const Call& call) { call.answer(shown(*call.user)); }

}  // namespace

std::vector<DashboardRoute> sign_in_routes() {
  const auto user = [] { return object_schema({{"user", answer_schema<SignedInUser>()}}); };
  return {
      dashboard_route(
          "POST", "/api/auth/sign-in", Guard::kAddress, "Sign in", sign_in,
          Description{
              .name = "signIn",
              .about =
                  "Begins a session for this browser with an email and a password, and sets its "
                  "cookie.",
              .body = request_schema<Credentials>,
              .answer = user,
              .refusals = {400}}),
      dashboard_route(
          "POST", "/api/auth/sign-out", Guard::kNone, "Sign out", sign_out,
          Description{
              .name = "signOut",
              .about = "Ends the session of this browser, if there is one, and clears its cookie. "
                       "With `Tilth-User`, it must be that user's.",
              .status = 204,
              .refusals = {401}}),
      dashboard_route(
          "GET", "/api/auth", Guard::kNone, "Show the ways to sign in", ways,
          Description{
              .name = "listSignInMethods",
              .about = "Whether there are passwords here, and the name of the identity provider if "
                       "there is one.",
              .answer = answer_schema<SignInMethods>}),
      dashboard_route("GET", "/api/me", Guard::kSession, "Show who is signed in", me,
                      Description{.name = "getUser",
                                  .about = "The account that the session belongs to.",
                                  .answer = user}),
  };
}

}  // namespace tilth
