#include "api/dashboard/dashboard.h"

#include <algorithm>
#include <utility>

#include "api/http/media_type.h"
#include "api/http/query_string.h"
#include "api/keys/authentication.h"
#include "api/platform/refusal.h"

namespace tilth {
namespace {

const Error kUnauthenticated{ErrorCode::kUnauthenticated, "Sign in first."};

bool mutates(std::string_view method) { return method == "POST" || method == "DELETE"; }

// From the 403 of another site to the 415 of a body that cannot be read.
Status check_request(const HttpRequest& request, const std::vector<Network>& trusted) {
  if (mutates(request.method) && is_foreign(request, OwnOrigin::of(request, trusted))) {
    return Error{ErrorCode::kForeignOrigin, "Another site asked for this."};
  }
  if (request.body_too_large) {
    return Error{ErrorCode::kPayloadTooLarge, "The body is too large."};
  }
  if (request.method == "POST" && !is_json(request.header("content-type"))) {
    return Error{ErrorCode::kUnsupportedMediaType, "Send application/json in UTF-8."};
  }
  return kDone;
}

}  // namespace

void DashboardCall::answer(HttpResponse response) const {
  response.headers.emplace_back("Cache-Control", "no-store");
  exchange->answer(std::move(response));
}

std::vector<DashboardRoute> dashboard_routes() {
  std::vector<DashboardRoute> all;
  for (auto& routes : {sign_in_routes(), own_key_routes(), billing_routes(), own_land_routes()}) {
    all.insert(all.end(), routes.begin(), routes.end());
  }
  return all;
}

Dashboard::Dashboard(DashboardSettings settings, DashboardParts parts,
                     std::vector<DashboardRoute> routes)
    : settings_(std::move(settings)), parts_(std::move(parts)), router_(std::move(routes)) {}

bool Dashboard::serve(const FallbackCall& call) {
  const PathSegments segments(call.exchange->request().path);
  const auto match = router_.match(segments.all());
  if (match.routes.empty()) return false;
  call.exchange->set_route(match.routes.front()->pattern);
  from_rows(call.exchange, [&] {
    if (call.exchange->request().method == "OPTIONS") return answer_options(call, match);
    serve_route(call, match);
  });
  return true;
}

void Dashboard::from_rows(const std::shared_ptr<Exchange>& exchange,
                          const std::function<void()>& answer) const {
  try {
    answer();
  } catch (const UnreadableRows& rows) {
    parts_.access.projector().cannot_read(rows);
    parts_.registry.projector().cannot_read(rows);
    exchange->answer(unreadable());
  }
}

void Dashboard::serve_route(const FallbackCall& call, const Match& match) {
  auto& exchange = *call.exchange;
  const auto& request = exchange.request();
  exchange.set_rate(parts_.limiter.look_at_address(
      call.client, settings_.unauthenticated_per_minute, parts_.clock.now()));
  const auto* route = match.find(request.method);
  if (route == nullptr) {
    auto response = refusal(Error{ErrorCode::kMethodNotAllowed,
                                  "This path does not answer to " + request.method + "."});
    response.headers.emplace_back("Allow", match.allow());
    return exchange.answer(std::move(response));
  }
  if (route->caller != Caller::kAnyone && parts_.access.projector().lacks_events()) {
    return exchange.answer(stands_still());
  }
  auto user = asker_of(call, *route);
  if (!user) return exchange.answer(user.error());
  if (const auto checked = check_request(request, settings_.trusted_proxies); !checked) {
    return exchange.answer(checked.error());
  }
  route->serve(*this, {call.exchange, call.client, Parameters(match.path.begin(), match.path.end()),
                       read_query(request.query), std::move(*user)});
}

// Counts for anyone who asks, and needs no one.
void Dashboard::answer_options(const FallbackCall& call, const Match& match) {
  const auto counted = [&]() -> Status {
    if (call.exchange->request().header("authorization") != nullptr) {
      if (const auto holder = call.admit(); !holder) return holder.error();
      return kDone;
    }
    const auto user = signed_in(call.exchange->request());
    return user ? count_session(call, *user) : count_stranger(call);
  }();
  if (!counted) return call.exchange->answer(counted.error());
  call.exchange->answer(HttpResponse{204, {{"Allow", match.allow()}}});
}

// Who asks, counted: 401, 429, and for a key what v1 says of it. Null where no one needs to be.
Result<std::optional<User>> Dashboard::asker_of(const FallbackCall& call,
                                                const DashboardRoute& route) {
  if (route.caller == Caller::kAnyone) return std::optional<User>();
  if (route.caller == Caller::kStranger) {
    if (const auto counted = count_stranger(call); !counted) return counted.error();
    return std::optional<User>();
  }
  const bool by_header = call.exchange->request().header("authorization") != nullptr;
  auto user = signed_in(call.exchange->request());
  if (route.caller == Caller::kSessionOrKey && (by_header || !user)) {
    return by_key(call, route.scope.value());
  }
  if (!user) {
    if (const auto counted = count_stranger(call); !counted) return counted.error();
    return kUnauthenticated;
  }
  if (const auto counted = count_session(call, *user); !counted) return counted.error();
  return user;
}

Result<std::optional<User>> Dashboard::by_key(const FallbackCall& call, Scope scope) const {
  const auto holder = call.admit();
  if (!holder) return holder.error();
  if (!(*holder)->scopes.include(scope)) return lacks_scope(scope);
  return find_user(access_view().rows, (*holder)->user_id);
}

Status Dashboard::count_stranger(const FallbackCall& call) const {
  const auto rate = parts_.limiter.count_address(call.client, settings_.unauthenticated_per_minute,
                                                 parts_.clock.now());
  call.exchange->set_rate(rate);
  if (!rate.allowed) return rate_refusal(rate);
  return kDone;
}

// A minute's window, as an address has one, under the user's id: it leaves the plan's alone.
Status Dashboard::count_session(const FallbackCall& call, const User& user) const {
  const auto rate = parts_.limiter.count_address(user.user_id, kPerMinute, parts_.clock.now());
  call.exchange->set_rate(rate);
  if (!rate.allowed) return rate_refusal(rate);
  return kDone;
}

std::optional<User> Dashboard::signed_in(const HttpRequest& request) const {
  for (const auto& token : cookies(request, kCookie)) {
    if (const auto user_id = parts_.sessions.user_of(token)) {
      return find_user(access_view().rows, *user_id);
    }
  }
  return std::nullopt;
}

RowView Dashboard::access_view() const {
  return std::move(*parts_.access.projector().view(std::string(kAccessStream)));
}

std::string Dashboard::session_cookie(const HttpRequest& request, const std::string& token) const {
  return cookie(request, kCookie, token,
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

std::vector<std::string> Dashboard::cookies(const HttpRequest& request, std::string_view name) {
  constexpr std::size_t kMost = 8;  // of one name: more than any browser sends
  std::vector<std::string> values;
  const auto wanted = std::string(name) + "=";
  for (const auto& [header, text] : request.headers) {
    if (header != "cookie") continue;
    for (std::string_view rest = text; !rest.empty() && values.size() < kMost;) {
      rest.remove_prefix(std::min(rest.find_first_not_of("; \t"), rest.size()));
      const auto cookie = rest.substr(0, rest.find(';'));
      if (cookie.starts_with(wanted)) values.emplace_back(cookie.substr(wanted.size()));
      rest.remove_prefix(cookie.size());
    }
  }
  return values;
}

void Dashboard::carry_out(const DashboardCall& call, Decide decide,
                          std::function<HttpResponse(const CommandResult&)> show,
                          AccessLease* lease) {
  carry_out_as(
      call.user.value().user_id, call, std::move(decide),
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

void Dashboard::carry_out_as(const std::string& user_id, const DashboardCall& call, Decide decide,
                             Commands::OnDone done, AccessLease* lease) {
  if (!settings_.commands) return done(not_done_here("command"));
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
