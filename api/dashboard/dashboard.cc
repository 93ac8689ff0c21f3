#include "api/dashboard/dashboard.h"

#include <utility>

#include "api/http/refusal.h"

namespace tilth {

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

std::vector<DashboardRoute> dashboard_routes() {
  std::vector<DashboardRoute> all;
  for (auto& routes : {sign_in_routes(), own_key_routes(), billing_routes(), own_land_routes()}) {
    all.insert(all.end(), routes.begin(), routes.end());
  }
  return all;
}

RowView Dashboard::access_view() const {
  return std::move(*parts_.access.projector().view(std::string(kAccessStream)));
}

std::string Dashboard::session_cookie(const HttpRequest& request, const std::string& token) const {
  return cookie(request, SessionGuard::kCookie, token,
                token.empty() ? std::chrono::seconds(0) : Sessions::kLength);
}

std::string Dashboard::cookie(const HttpRequest& request, std::string_view name,
                              const std::string& value, std::chrono::seconds left) const {
  auto cookie = std::string(name) + "=" + value +
                "; Path=/; HttpOnly; SameSite=Lax; Max-Age=" + std::to_string(left.count());
  const bool plain = OwnOrigin::of(request, settings_.trusted_proxies).scheme == "http";
  if (!plain || !settings_.on_loopback) cookie.append("; Secure");
  return cookie;
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
                         .decide = std::move(decide)};
  parts_.access.carry_out(
      std::move(request), [done = std::move(done), lease](const Result<CommandResult>& outcome) {
        AccessLease::when_all_know(lease, [done, outcome](bool know) {
          const bool unheard = outcome && !know;
          done(unheard ? Result<CommandResult>(AccessLease::has_not_heard()) : outcome);
        });
      });
}

}  // namespace tilth
