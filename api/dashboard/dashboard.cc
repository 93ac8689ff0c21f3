#include "api/dashboard/dashboard.h"

#include <algorithm>
#include <utility>

#include "api/http/refusal.h"

namespace tilth {

namespace {

// What a browser calls itself, made fit to be shown.
std::string browser_of(std::string_view agent) {
  constexpr std::size_t kLongest = 200;
  std::string shown(agent.substr(0, kLongest));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '?');
  return shown;
}

}  // namespace

DashboardRoute dashboard_route(std::string_view method, std::string_view pattern, Guard guard,
                               std::string_view summary,
                               std::function<void(Dashboard&, const Call&)> serve,
                               std::optional<Description> description) {
  return {{.method = method,
           .pattern = pattern,
           .summary = summary,
           .guard = guard,
           .description = std::move(description)},
          std::move(serve)};
}

std::vector<DashboardRoute> dashboard_routes(const V1Settings& settings) {
  std::vector<DashboardRoute> all;
  for (auto& routes : {sign_in_routes(), account_routes(), own_key_routes(), billing_routes(),
                       usage_history_routes(), request_routes(), own_record_routes(settings)}) {
    all.insert(all.end(), routes.begin(), routes.end());
  }
  return all;
}

RowView Dashboard::access_view() const {
  return std::move(*parts_.access.projector().view(std::string(kAccessStream)));
}

Result<HttpHeader> Dashboard::begin_session(const Call& call, const User& user,
                                            SignInMethod method) const {
  const auto* agent = call.request().header("user-agent");
  const auto token = parts_.sessions.begin(
      {.user_id = user.user_id,
       .epoch = user.session_epoch,
       .method = method,
       .address = call.client,
       .browser = agent == nullptr ? std::nullopt : std::optional(browser_of(*agent))});
  if (!token) return token.error();
  return HttpHeader{"Set-Cookie", session_cookie(call.request(), *token)};
}

std::optional<Sessions::Found> Dashboard::current_session(const Call& call) const {
  for (const auto& token : cookies_.values(call.request(), SessionGuard::kCookie)) {
    auto found = parts_.sessions.find(token);
    if (!found) continue;
    const auto user = find_user(access_view().rows, found->session.by.user_id);
    if (user && is_valid(found->session, *user)) return found;
  }
  return std::nullopt;
}

std::string Dashboard::session_cookie(const HttpRequest& request, const std::string& token) const {
  return cookies_.set(request, SessionGuard::kCookie, token,
                      token.empty() ? std::chrono::seconds(0) : Sessions::kLength);
}

HttpHeader Dashboard::known_cookie(const HttpRequest& request, const std::string& user_id) const {
  const auto name =
      known_browsers_.name_of(cookies_.values(request, KnownBrowsers::kCookie), user_id);
  return {"Set-Cookie",
          cookies_.set(request, KnownBrowsers::kCookie, known_browsers_.cookie_for(user_id, name),
                       KnownBrowsers::kLength)};
}

void Dashboard::run_on(FairExecutor& executor, WorkKind kind, const std::string& owner,
                       const Call& call, std::function<void()> work,
                       std::function<void(const Error&)> refused) const {
  const auto posted =
      executor.post({.owner = owner,
                     .kind = kind,
                     .run =
                         [this, call, refused, work = std::move(work)](WorkToken& token) {
                           if (!token.go_on()) return refused(token.error());
                           parts_.row_faults.guard(call.exchange, work);
                         },
                     .abandoned = [exchange = call.exchange] { return exchange->abandoned(); }});
  if (!posted) refused(posted.error());
}

// The queue decides whose sign-in runs next, so no client of its own can end one.
bool Dashboard::post_sign_in(const SignInQueue::Asker& asker, SignInQueue::Work work) const {
  return bool(parts_.passwords.post(
      {.owner = asker.address,
       .kind = WorkKind::kPassword,
       .run = [work = std::move(work)](WorkToken& token) { work(token.go_on()); }}));
}

void Dashboard::carry_out(const Call& call, Decide decide,
                          std::function<HttpResponse(const CommandResult&)> show,
                          AccessLease* lease) {
  carry_out_as(
      call.user_id(), call, std::move(decide),
      [call, show = std::move(show)](const Result<CommandResult>& outcome) {
        if (!outcome) return call.answer(outcome.error());
        auto response = show(*outcome);
        if (outcome->position) {
          response.headers.emplace_back("Tilth-Position", position_token(*outcome->position));
        }
        call.answer(std::move(response));
      },
      lease);
}

void Dashboard::carry_out_as(const std::string& user_id, const Call& call, Decide decide,
                             Commands::OnDone done, AccessLease* lease) {
  if (!settings_.commands) return done(lacks_role("command"));
  CommandRequest request{.stream = std::string(kAccessStream),
                         .actor = user_id,
                         .request_id = call.exchange->request_id(),
                         .traceparent = call.exchange->traceparent(),
                         .decide = std::move(decide)};
  parts_.access.carry_out(
      std::move(request), [done = std::move(done), lease](const Result<CommandResult>& outcome) {
        AccessLease::when_all_know(lease, [done, outcome](bool know) {
          const bool unconfirmed = outcome && !know;
          done(unconfirmed ? Result<CommandResult>(AccessLease::expired()) : outcome);
        });
      });
}

}  // namespace tilth
