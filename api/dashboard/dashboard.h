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
#include "api/guards/origin.h"
#include "api/guards/session_guard.h"
#include "api/keys/access_lease.h"
#include "api/keys/key_digest.h"
#include "api/platform/row_faults.h"
#include "api/platform/thread_pool.h"
#include "api/routing/resource_route.h"
#include "api/routing/route.h"
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
  const RowFaults& row_faults;
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

// What the handlers of the dashboard's routes work with. Threads: any.
class Dashboard {
 public:
  Dashboard(DashboardSettings settings, DashboardParts parts)
      : settings_(std::move(settings)), parts_(std::move(parts)) {}

  const DashboardSettings& settings() const { return settings_; }
  const DashboardParts& parts() const { return parts_; }
  RowView access_view() const;
  // What a sign-in or a sign-out answers with; an empty token ends the cookie.
  std::string session_cookie(const HttpRequest& request, const std::string& token) const;
  // One that no script reads and no other site's request carries. No time left ends it.
  std::string cookie(const HttpRequest& request, std::string_view name, const std::string& value,
                     std::chrono::seconds left) const;
  // Both end once this node has read what was done, or, with a lease, once no node can believe what
  // was so before.
  void carry_out(const Call& call, Decide decide,
                 std::function<HttpResponse(const CommandResult&)> show,
                 AccessLease* lease = nullptr);
  void carry_out_as(const std::string& user_id, const Call& call, Decide decide,
                    Commands::OnDone done, AccessLease* lease = nullptr);

 private:
  const DashboardSettings settings_;
  const DashboardParts parts_;
};

using DashboardRoute = SurfaceRoute<Dashboard>;

// No cache may keep its answers.
DashboardRoute dashboard_route(std::string_view method, std::string_view pattern, Guard guard,
                               std::string_view summary,
                               std::function<void(Dashboard&, const Call&)> serve,
                               std::optional<Description> description = {});

// Every route of the dashboard but its pages.
std::vector<DashboardRoute> dashboard_routes();

std::vector<DashboardRoute> sign_in_routes();
std::vector<DashboardRoute> provider_routes();  // where there is one
std::vector<DashboardRoute> own_key_routes();
std::vector<DashboardRoute> billing_routes();
std::vector<DashboardRoute> own_land_routes();

}  // namespace tilth
