// The surface under /api and / that people use with a browser: signing in, their keys, what they
// use, and the pages themselves. Integrations call /api/v1 instead.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dashboard/identity_provider.h"
#include "api/dashboard/origin.h"
#include "api/keys/access_lease.h"
#include "api/keys/key_digest.h"
#include "api/keys/key_ring.h"
#include "api/openapi/openapi.h"
#include "api/platform/fallback_handler.h"
#include "api/platform/thread_pool.h"
#include "api/routing/read_request.h"
#include "api/routing/route.h"
#include "api/routing/router.h"
#include "api/usage/login_throttle.h"
#include "api/usage/rate_limiter.h"
#include "api/usage/sessions.h"
#include "command/loop/command_loop.h"
#include "events/access/plan.h"
#include "events/values/ids.h"
#include "events/values/time.h"
#include "projections/access/user.h"

namespace tilth {

struct DashboardSettings {
  const Plans& plans;
  std::uint64_t unauthenticated_per_minute = 60;
  std::vector<Network> trusted_proxies = {};
  bool on_loopback = true;  // the service listens there: plain http is not seen by others
  bool commands = true;     // this node has the role
  IdentityProvider* provider = nullptr;  // where people may sign in, too
  std::string first_plan = {};           // of who comes from there for the first time
};

// What the dashboard borrows; all of it outlives it.
struct DashboardParts {
  CommandLoop& access;
  CommandLoop& registry;
  Sessions& sessions;
  LoginThrottle& login_throttle;
  ThreadPool& workers;  // check passwords
  ThreadPool& askers;   // ask the provider
  RateLimiter& limiter;
  const KeyDigest& digest;
  const Clock& clock;
  const IdSource& ids;
  // Whether that is the password; takes as long, and says no, where there is no hash.
  std::function<bool(const std::optional<std::string>& hash, const std::string& password)> verify;
  AccessLease* lease = nullptr;  // null: no one else writes to the log
};

// Who may ask.
enum class Caller : std::uint8_t {
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
  std::optional<User> user = {};  // anyone who asks; always there for kSession and kSessionOrKey

  const HttpRequest& request() const { return exchange->request(); }
  // With Cache-Control: what is one person's is in no cache.
  void answer(HttpResponse response) const;
  void answer(const Error& error) const { exchange->answer(error); }
};

// What the API's description says of a route.
struct DashboardWords {
  std::optional<Json> path_schema = {};
  std::optional<Json> query_schema = {};
  std::optional<Json> body_schema = {};
  std::optional<Json> answer_schema = {};  // of the whole body
  int status = 200;
  std::vector<int> refusals = {};  // next to 401, 429 and 503
};

struct DashboardRoute {
  std::string_view method;
  std::string_view pattern;
  Caller caller;
  std::string_view summary;
  std::function<void(Dashboard&, const DashboardCall&)> serve;
  std::optional<Scope> scope = {};           // of kSessionOrKey
  std::optional<DashboardWords> words = {};  // null: not described
};

// Threads: any.
class Dashboard final : public FallbackHandler {
 public:
  static constexpr std::string_view kCookie = "tilth_session";
  static constexpr std::uint64_t kPerMinute = 600;  // of a session's user

  Dashboard(DashboardSettings settings, DashboardParts parts, std::vector<DashboardRoute> routes);

  bool serve(const FallbackCall& call) override;

  // For its routes.
  const DashboardSettings& settings() const { return settings_; }
  const DashboardParts& parts() const { return parts_; }
  RowView access_view() const;
  // Whatever computes an answer from rows does it in here, on whichever thread: rows that cannot be
  // read are 503.
  void from_rows(const std::shared_ptr<Exchange>& exchange,
                 const std::function<void()>& answer) const;
  // What a sign-in or a sign-out answers with; an empty token ends the cookie.
  std::string session_cookie(const HttpRequest& request, const std::string& token) const;
  // One that no script reads and no other site's request carries. No time left ends it.
  std::string cookie(const HttpRequest& request, std::string_view name, const std::string& value,
                     std::chrono::seconds left) const;
  // What a request says of a cookie, whether it is any good or not.
  static std::vector<std::string> cookies(const HttpRequest& request, std::string_view name);
  // Both end once this node has read what was done, or, with a lease, once no node can believe what
  // was so before.
  void carry_out(const DashboardCall& call, Decide decide,
                 std::function<HttpResponse(const CommandResult&)> show,
                 AccessLease* lease = nullptr);
  void carry_out_as(const std::string& user_id, const DashboardCall& call, Decide decide,
                    Commands::OnDone done, AccessLease* lease = nullptr);

 private:
  using Match = Router<DashboardRoute>::Match;

  void serve_route(const FallbackCall& call, const Match& match);
  void answer_options(const FallbackCall& call, const Match& match);
  Result<std::optional<User>> asker_of(const FallbackCall& call, const DashboardRoute& route);
  Result<std::optional<User>> by_key(const FallbackCall& call, Scope scope) const;
  Status count_stranger(const FallbackCall& call) const;
  Status count_session(const FallbackCall& call, const User& user) const;
  std::optional<User> signed_in(const HttpRequest& request) const;

  const DashboardSettings settings_;
  const DashboardParts parts_;
  const Router<DashboardRoute> router_;
};

// The operations that are described.
std::vector<DescribedOperation> describe(const std::vector<DashboardRoute>& routes);

// Every route of the dashboard but its pages.
std::vector<DashboardRoute> dashboard_routes();

std::vector<DashboardRoute> sign_in_routes();
std::vector<DashboardRoute> provider_routes();  // where there is one
std::vector<DashboardRoute> own_key_routes();
std::vector<DashboardRoute> billing_routes();
std::vector<DashboardRoute> own_land_routes();

}  // namespace tilth
