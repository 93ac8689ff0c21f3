// The surface under /api and / that people use with a browser: signing in, their keys, what they
// use, and the pages themselves. Integrations call /api/v1 instead.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/access_lease.h"
#include "api/dashboard/guesses.h"
#include "api/dashboard/origin.h"
#include "api/dashboard/sessions.h"
#include "api/key_ring.h"
#include "api/outside.h"
#include "api/rate_limiter.h"
#include "api/read_request.h"
#include "api/route.h"
#include "api/router.h"
#include "api/workers.h"
#include "command/command_loop.h"
#include "events/ids.h"
#include "events/plan.h"
#include "events/time.h"
#include "projections/user.h"

namespace tilth {

struct DashboardSettings {
  const Plans& plans;
  std::uint64_t unauthenticated_per_minute = 60;
  std::vector<Network> trusted_proxies = {};
  bool on_loopback = true;  // the service listens there: plain http is not seen by others
  bool commands = true;     // this node has the role
};

// What the dashboard lends from; all of it outlives it.
struct DashboardParts {
  CommandLoop& access;
  const Projector& registry;
  Sessions& sessions;
  Workers& workers;
  RateLimiter& limiter;
  const KeyDigest& digest;
  const Clock& clock;
  const IdSource& ids;
  // Whether that is the password; takes as long, and says no, where there is no hash.
  std::function<bool(const std::optional<std::string>& hash, const std::string& password)> verify;
  AccessLease* lease = nullptr;  // null: nobody else writes to the log
};

// Who may ask.
enum class Asker : std::uint8_t {
  kAnyone,        // not counted
  kStranger,      // counted for the address
  kSession,       // somebody who is signed in
  kSessionOrKey,  // … or a key with the route's scope, as in v1
};

class Dashboard;

// One request to a route.
struct DashboardCall {
  std::shared_ptr<Exchange> exchange;
  std::string client;  // the address
  Parameters path;
  Parameters query;
  std::optional<User> user = {};  // whoever asks; always there for kSession and kSessionOrKey

  const HttpRequest& request() const { return exchange->request(); }
  // With Cache-Control: what is one person's is in no cache.
  void answer(HttpResponse response) const;
  void answer(const Error& error) const { exchange->answer(error); }
};

struct DashboardRoute {
  std::string_view method;
  std::string_view pattern;
  Asker asker;
  std::string_view summary;
  std::function<void(Dashboard&, const DashboardCall&)> serve;
  std::optional<Scope> scope = {};  // of kSessionOrKey
};

// Threads: any.
class Dashboard final : public Outside {
 public:
  static constexpr std::string_view kCookie = "tilth_session";
  static constexpr std::uint64_t kPerMinute = 600;  // of a session's user

  Dashboard(DashboardSettings settings, DashboardParts parts, std::vector<DashboardRoute> routes);

  bool serve(const OutsideCall& call) override;

  // For its routes.
  const DashboardSettings& settings() const { return settings_; }
  const DashboardParts& parts() const { return parts_; }
  Guesses& guesses() { return guesses_; }
  RowView access_view() const;
  // What a sign-in or a sign-out answers with; an empty token ends the cookie.
  std::string session_cookie(const HttpRequest& request, const std::string& token) const;
  // The tokens that a request carries, whether they are any good or not.
  static std::vector<std::string> session_tokens(const HttpRequest& request);
  // Answers once this node has read what was done, or, with a lease, once no node can believe what
  // was so before.
  void carry_out(const DashboardCall& call, Decide decide,
                 std::function<HttpResponse(const Outcome&)> show, AccessLease* lease = nullptr);

 private:
  using Match = Router<DashboardRoute>::Match;

  void serve_route(const OutsideCall& call, const Match& match);
  void answer_options(const OutsideCall& call, const Match& match);
  Result<std::optional<User>> asker_of(const OutsideCall& call, const DashboardRoute& route);
  Result<std::optional<User>> by_key(const OutsideCall& call, Scope scope) const;
  Status count_stranger(const OutsideCall& call) const;
  Status count_session(const OutsideCall& call, const User& user) const;
  std::optional<User> signed_in(const HttpRequest& request) const;

  const DashboardSettings settings_;
  const DashboardParts parts_;
  const Router<DashboardRoute> router_;
  Guesses guesses_;
};

// Every route of the dashboard but its pages.
std::vector<DashboardRoute> dashboard_routes();

std::vector<DashboardRoute> sign_in_routes();
std::vector<DashboardRoute> own_key_routes();
std::vector<DashboardRoute> billing_routes();
std::vector<DashboardRoute> own_land_routes();

}  // namespace tilth
