// Sign-in through an identity provider: the redirect and the callback.

#include <utility>

#include "api/dashboard/dashboard.h"
#include "command/access/user.h"

namespace tilth {
namespace {

constexpr std::chrono::minutes kTime{10};  // for sign-in at the provider
constexpr std::string_view kStateCookie = "tilth_sign_in";
constexpr std::string_view kBack = "/api/auth/callback";

const Error kNotHere{ErrorCode::kInvalid,
                     "This sign-in did not begin in this browser, or too long ago.",
                     {{"state", {"must be that of a sign-in which began here"}}}};
const Error kTaken{
    ErrorCode::kConflict,
    "Another user has this email, and the provider does not confirm that it is yours."};

// Everything else is derived from the state and the service's secret, so nothing is stored.
SignInAttempt attempt_of(const Dashboard& dashboard, const HttpRequest& request,
                         std::string state) {
  const auto& digest = dashboard.parts().digest;
  const auto own = OwnOrigin::of(request, dashboard.settings().trusted_proxies);
  SignInAttempt attempt{std::move(state), {}, {}, own.text() + std::string(kBack)};
  attempt.nonce = digest.of("nonce of " + attempt.state);
  attempt.verifier = digest.of("verifier of " + attempt.state);
  return attempt;
}

// The creation time and a part that cannot be guessed.
std::string new_state(const Dashboard& dashboard) {
  const auto now = dashboard.parts().clock.now().at.time_since_epoch().count();
  return std::to_string(now) + "." + dashboard.parts().ids.hex(24);
}

bool is_fresh(const Dashboard& dashboard, const std::string& state) {
  const auto made = read_whole(state.substr(0, state.find('.')));
  const auto now = dashboard.parts().clock.now();
  return made && now.at - Timestamp{std::chrono::sys_time<std::chrono::milliseconds>(
                                        std::chrono::milliseconds(*made))}
                              .at <
                     kTime;
}

// A browser is redirected to the page, which shows the error; a program receives the error.
void fail(const Call& call, const Error& error) {
  const auto accepted = call.request().joined("accept");
  if (!accepted || accepted->find("text/html") == accepted->npos) return call.answer(error);
  call.answer(HttpResponse{303, {{"Location", "/?error=sign-in"}}});
}

const std::string* parameter(const Call& call, std::string_view name) {
  const std::string* found = nullptr;
  for (const auto& [key, value] : call.query) {
    if (key != name) continue;
    if (found != nullptr) return nullptr;
    found = &value;
  }
  return found;
}

void begin(Dashboard& dashboard, const Call& call) {
  const auto attempt = attempt_of(dashboard, call.request(), new_state(dashboard));
  const auto url = dashboard.settings().provider->authorization_url(attempt);
  if (!url) return fail(call, url.error());
  const auto cookie = dashboard.cookie(call.request(), kStateCookie, attempt.state, kTime);
  call.answer(HttpResponse{303, {{"Location", *url}, {"Set-Cookie", cookie}}});
}

void welcome(Dashboard& dashboard, const Call& call, const std::string& user_id) {
  const auto token = dashboard.parts().sessions.begin(user_id);
  if (!token) return fail(call, token.error());
  call.answer(
      HttpResponse{303,
                   {{"Location", "/"},
                    {"Set-Cookie", dashboard.session_cookie(call.request(), *token)},
                    {"Set-Cookie", dashboard.cookie(call.request(), kStateCookie, {}, {})}}});
}

// Signs in the person that the provider names; a new person becomes a user.
void let_in(Dashboard& dashboard, const Call& call, Person person) {
  const auto known = find_user_by_identity(dashboard.access_view().rows, person.identity);
  if (known) return welcome(dashboard, call, *known);
  JoinUser command{dashboard.parts().ids.nanoid(User::kIdPrefix),
                   person.identity,
                   std::move(person.email),
                   person.email_verified,
                   std::move(person.name),
                   dashboard.settings().first_plan};
  auto identity = person.identity;
  dashboard.carry_out_as(
      command.user_id, call, deciding(command),
      [&dashboard, call, identity = std::move(identity)](const Result<CommandResult>& outcome) {
        if (!outcome) return fail(call, outcome.error());
        dashboard.parts().row_faults.guard(call.exchange, [&] {
          const auto user = find_user_by_identity(dashboard.access_view().rows, identity);
          user ? welcome(dashboard, call, *user) : fail(call, kTaken);
        });
      });
}

void come_back(Dashboard& dashboard, const Call& call) {
  const auto* state = parameter(call, "state");
  const auto cookies = cookies_of(call.request(), kStateCookie);
  const bool ours = state != nullptr && cookies.size() == 1 && cookies.front() == *state;
  if (!ours || !is_fresh(dashboard, *state)) return fail(call, kNotHere);
  const auto* code = parameter(call, "code");
  if (code == nullptr) {
    return fail(call, {ErrorCode::kWrongPassword, "The identity provider refused the sign-in."});
  }
  auto person =
      dashboard.settings().provider->redeem(attempt_of(dashboard, call.request(), *state), *code);
  person ? let_in(dashboard, call, std::move(*person)) : fail(call, person.error());
}

// Runs `serve` on a thread that may block on the provider.
auto on_provider_thread(void (*serve)(Dashboard&, const Call&)) {
  return [serve](Dashboard& dashboard, const Call& call) {
    const bool posted = dashboard.parts().provider_threads.post([&dashboard, call, serve] {
      dashboard.parts().row_faults.guard(call.exchange, [&] { serve(dashboard, call); });
    });
    if (posted) return;
    fail(call, {.code = ErrorCode::kUnavailable,
                .message = "Too many people are signing in at the moment.",
                .retry_after_seconds = 1});
  };
}

}  // namespace

std::vector<DashboardRoute> provider_routes() {
  return {
      dashboard_route("GET", "/api/auth/sign-in", Guard::kAddress, "Sign in at the provider",
                      on_provider_thread(begin)),
      dashboard_route("GET", kBack, Guard::kAddress, "Come back from the provider",
                      on_provider_thread(come_back)),
  };
}

}  // namespace tilth
