// Sign-in through an identity provider: the redirect and the callback, and adding the provider to
// an account that is signed in to with a password.

#include <utility>

#include "api/dashboard/dashboard.h"
#include "api/dashboard/proof.h"
#include "api/dashboard/sign_in_attempts.h"
#include "command/access/user.h"

namespace tilth {
namespace {

constexpr std::string_view kBack = "/api/auth/callback";

const Error kNotHere{ErrorCode::kInvalid,
                     "This sign-in did not begin in this browser, or too long ago.",
                     {{"state", {"must be that of a sign-in which began here"}}}};
const Error kDisabled{ErrorCode::kWrongPassword, "The account is disabled."};
const Error kNotSignedIn{ErrorCode::kUnauthenticated, "Sign in first."};
const Error kCrowded{.code = ErrorCode::kUnavailable,
                     .message = "Too many people are signing in at the moment.",
                     .retry_after_seconds = 1};

// A browser is redirected to the page, which shows the error; a program receives the error.
void fail(const Call& call, const Error& error, std::string_view reason = "sign-in") {
  const auto accepted = call.request().joined("accept");
  if (!accepted || accepted->find("text/html") == accepted->npos) return call.answer(error);
  if (error.code == ErrorCode::kConflict) reason = "taken";
  call.answer(HttpResponse{303, {{"Location", "/?error=" + std::string(reason)}}});
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
  auto [attempt, headers] = SignInAttempts(dashboard).begin(call, std::nullopt);
  const auto url = dashboard.settings().provider->authorization_url(attempt);
  if (!url) return fail(call, url.error());
  headers.emplace_back("Location", *url);
  call.answer(HttpResponse{303, std::move(headers)});
}

// Back to the page, and this attempt is over.
HttpResponse home(const Dashboard& dashboard, const Call& call, const std::string& state) {
  return {303, {{"Location", "/"}, SignInAttempts(dashboard).end(call, state)}};
}

void welcome(Dashboard& dashboard, const Call& call, const std::string& state,
             const std::string& user_id) {
  const auto user = find_user(dashboard.access_view().rows, user_id);
  if (!user || user->disabled_at) return fail(call, kDisabled);
  auto cookie = dashboard.begin_session(call, *user, SignInMethod::kProvider);
  if (!cookie) return fail(call, cookie.error());
  auto response = home(dashboard, call, state);
  response.headers.push_back(std::move(*cookie));
  response.headers.push_back(dashboard.known_cookie(call.request(), user_id));
  call.answer(std::move(response));
}

// An address that no one can have, for an account whose own is not verified: anyone who proves to
// have that one may claim it. It says nothing of the person, and is the same each time.
std::string unverified_email(const Dashboard& dashboard, const Identity& identity) {
  constexpr std::size_t kDigits = 24;
  const auto digest =
      dashboard.parts().digest.of("email of " + identity.subject + " at " + identity.issuer);
  return digest.substr(0, kDigits) + "@unverified.invalid";
}

// Signs in the person that the provider names; a new person becomes a user.
void let_in(Dashboard& dashboard, const Call& call, const std::string& state, Person person) {
  const auto known = find_user_by_identity(dashboard.access_view().rows, person.identity);
  if (known) return welcome(dashboard, call, state, *known);
  const bool verified = person.email_verified && looks_like_an_email(person.email);
  JoinUser command{
      dashboard.parts().ids.nanoid(User::kIdPrefix),
      person.identity,
      verified ? std::move(person.email) : unverified_email(dashboard, person.identity),
      verified,
      fitting_name(std::move(person.name).value_or("")),
      dashboard.settings().first_plan};
  dashboard.carry_out_as(
      command.user_id, call, deciding(command),
      [&dashboard, call, state, identity = person.identity](const Result<CommandResult>& outcome) {
        if (!outcome) return fail(call, outcome.error());
        dashboard.parts().row_faults.guard(call.exchange, [&] {
          const auto user = find_user_by_identity(dashboard.access_view().rows, identity);
          user ? welcome(dashboard, call, state, *user) : fail(call, kDisabled);
        });
      });
}

// Adds the provider to the account that this browser is signed in to.
void link(Dashboard& dashboard, const Call& call, const std::string& state,
          const Sessions::Found& session, const Person& person) {
  const auto& user_id = session.session.by.user_id;
  dashboard.carry_out_as(user_id, call, deciding(LinkIdentity{user_id, person.identity}),
                         [&dashboard, call, state](const Result<CommandResult>& outcome) {
                           if (!outcome) return fail(call, outcome.error());
                           call.answer(home(dashboard, call, state));
                         });
}

void come_back(Dashboard& dashboard, const Call& call) {
  const SignInAttempts attempts(dashboard);
  const auto* state = parameter(call, "state");
  const auto attempt = state != nullptr ? attempts.find(call, *state) : std::nullopt;
  if (!attempt) return fail(call, kNotHere);
  const auto session = dashboard.current_session(call);
  const bool links = SignInAttempts::is_to_link(*state);
  if (links && !(session && attempts.is_to_link(*state, *session))) return fail(call, kNotHere);
  const auto* code = parameter(call, "code");
  if (code == nullptr) {
    const auto* why = parameter(call, "error");
    const bool stopped = why != nullptr && *why == "access_denied";  // by the person
    return fail(call, {ErrorCode::kWrongPassword, "The identity provider refused the sign-in."},
                stopped ? "access_denied" : "sign-in");
  }
  auto person = dashboard.settings().provider->redeem(*attempt, *code);
  if (!person) return fail(call, person.error());
  links ? link(dashboard, call, *state, *session, *person)
        : let_in(dashboard, call, *state, std::move(*person));
}

struct LinkRequest {
  std::optional<std::string> password;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("password", password, {.doc = "Required if the account has one."}));
  }
};

struct LinkBegun {
  std::string url;

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("url", url, {.doc = "Where the browser goes next: the provider."}));
  }
};

// Runs on a thread that may block on the provider, or refuses.
void post_to_provider(Dashboard& dashboard, const Call& call, std::function<void()> work) {
  dashboard.run_on(dashboard.parts().provider_threads, WorkKind::kProvider, call.client, call,
                   std::move(work), [call](const Error&) { fail(call, kCrowded); });
}

auto on_provider_thread(void (*serve)(Dashboard&, const Call&)) {
  return [serve](Dashboard& dashboard, const Call& call) {
    post_to_provider(dashboard, call, [&dashboard, call, serve] { serve(dashboard, call); });
  };
}

// The page then sends the browser to the provider. A POST, so that no other site can begin it.
void begin_link(Dashboard& dashboard, const Call& call) {
  const auto session = dashboard.current_session(call);
  if (!session) return call.answer(kNotSignedIn);
  auto [attempt, headers] = SignInAttempts(dashboard).begin(call, session);
  const auto url = dashboard.settings().provider->authorization_url(attempt);
  if (!url) return call.answer(url.error());
  auto response = json_response(200, JsonWriter::text(LinkBegun{*url}));
  for (auto& header : headers) response.headers.push_back(std::move(header));
  call.answer(std::move(response));
}

void prove_and_link(Dashboard& dashboard, const Call& call) {
  with_password<LinkRequest>(
      dashboard, call,
      [](Dashboard& on, const Call& asked, const std::optional<std::string>& password) {
        const auto proved = prove(on, asked, *asked.user, password);
        if (!proved) return asked.answer(proved.error());
        post_to_provider(on, asked, [&on, asked] { begin_link(on, asked); });
      });
}

}  // namespace

std::vector<DashboardRoute> provider_routes() {
  return {
      dashboard_route("GET", "/api/auth/sign-in", Guard::kAddress, "Sign in at the provider",
                      on_provider_thread(begin)),
      dashboard_route("GET", kBack, Guard::kAddress, "Come back from the provider",
                      on_provider_thread(come_back)),
      dashboard_route(
          "POST", "/api/auth/provider", Guard::kSession, "Add the provider to the account",
          prove_and_link,
          Description{.name = "linkProvider",
                      .about = "Begins to join the account with an identity at the provider.",
                      .body = request_schema<LinkRequest>,
                      .answer = answer_schema<LinkBegun>,
                      .refusals = {400}}),
  };
}

}  // namespace tilth
