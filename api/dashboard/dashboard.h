// The surface under /api and / for browsers: sign-in, API keys, usage, and the pages themselves.
// Integrations call /api/v1 instead.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dashboard/identity_provider.h"
#include "api/guards/cookie_policy.h"
#include "api/guards/origin.h"
#include "api/guards/session_guard.h"
#include "api/keys/access_lease.h"
#include "api/keys/key_digest.h"
#include "api/platform/fair_executor.h"
#include "api/platform/person_eraser.h"
#include "api/platform/row_faults.h"
#include "api/routing/resource_route.h"
#include "api/routing/route.h"
#include "api/usage/byte_quota.h"
#include "api/usage/known_browsers.h"
#include "api/usage/login_throttle.h"
#include "api/usage/rate_limiter.h"
#include "api/usage/request_log.h"
#include "api/usage/sessions.h"
#include "api/usage/sign_in_queue.h"
#include "api/usage/usage_history.h"
#include "api/v1/routes.h"
#include "command/loop/cells.h"
#include "events/access/plan.h"
#include "events/values/ids.h"
#include "events/values/time.h"
#include "projections/access/user.h"

namespace tilth {

struct DashboardSettings {
  const Plans& plans;
  std::vector<Network> trusted_proxies = {};
  bool on_loopback = true;  // the service listens there, so others cannot see plain http
  bool commands = true;     // this node has the command role
  IdentityProvider* provider = nullptr;  // null: sign-in by password only
  std::string first_plan = {};           // of users who join through the provider
};

// Borrowed; must outlive the dashboard.
struct DashboardParts {
  CommandLoop& access;
  Cells& registry;
  const RowFaults& row_faults;
  Sessions& sessions;
  RequestLog& requests;
  UsageHistory& usage_history;
  LoginThrottle& login_throttle;
  FairExecutor& queries;           // answers those that read much
  FairExecutor& passwords;         // verifies them
  FairExecutor& provider_threads;  // call the provider
  RateLimiter& limiter;
  const KeyDigest& digest;
  const Clock& clock;
  const IdSource& ids;
  // Whether the password matches the hash. Without a hash: false, after the same time.
  std::function<bool(const std::optional<std::string>& hash, const std::string& password)> verify;
  std::function<std::string(const std::string& password)> hash_password;
  AccessLease* lease = nullptr;  // null: no other node writes to the log
  ByteQuota* bytes = nullptr;    // null: not limited
  PersonEraser* eraser = nullptr;
};

// What the handlers of the dashboard's routes share. Threads: any.
class Dashboard {
 public:
  Dashboard(DashboardSettings settings, DashboardParts parts)
      : settings_(std::move(settings)),
        parts_(std::move(parts)),
        cookies_(settings_.trusted_proxies, settings_.on_loopback) {}

  const DashboardSettings& settings() const { return settings_; }
  const DashboardParts& parts() const { return parts_; }
  SignInQueue& sign_ins() { return sign_ins_; }
  const KnownBrowsers& known_browsers() const { return known_browsers_; }
  RowView access_view() const;
  // Begins a session of that user, who has just proved to be them. Returns the header that sets its
  // cookie. kUnavailable: it could not be stored.
  Result<HttpHeader> begin_session(const Call& call, const User& user, SignInMethod method) const;
  // The valid session that the call's cookie belongs to, as SessionGuard finds it.
  std::optional<Sessions::Found> current_session(const Call& call) const;
  // The cookie that sign-in and sign-out set; an empty token expires it.
  std::string session_cookie(const HttpRequest& request, const std::string& token) const;
  const CookiePolicy& cookies() const { return cookies_; }
  // The cookie by which this browser is recognised at the next sign-in to that account.
  HttpHeader known_cookie(const HttpRequest& request, const std::string& user_id) const;
  // Both complete once this node has read the events, or, with a lease, once no node still relies
  // on the earlier state.
  void carry_out(const Call& call, Decide decide,
                 std::function<HttpResponse(const CommandResult&)> show,
                 AccessLease* lease = nullptr);
  void carry_out_as(const std::string& user_id, const Call& call, Decide decide,
                    Commands::OnDone done, AccessLease* lease = nullptr);

  // Runs `work` on a thread of that executor, on account of `owner`; `refused` gets kUnavailable
  // instead if there is no place for the call, or when it is too late.
  void run_on(FairExecutor& executor, WorkKind kind, const std::string& owner, const Call& call,
              std::function<void()> work, std::function<void(const Error&)> refused) const;

 private:
  bool post_sign_in(const SignInQueue::Asker& asker, SignInQueue::Work work) const;

  const DashboardSettings settings_;
  const DashboardParts parts_;
  const CookiePolicy cookies_;
  const KnownBrowsers known_browsers_{parts_.digest, parts_.clock, parts_.ids};
  SignInQueue sign_ins_{[this](const SignInQueue::Asker& asker, SignInQueue::Work work) {
    return post_sign_in(asker, std::move(work));
  }};
};

using DashboardRoute = SurfaceRoute<Dashboard>;

DashboardRoute dashboard_route(std::string_view method, std::string_view pattern, Guard guard,
                               std::string_view summary,
                               std::function<void(Dashboard&, const Call&)> serve,
                               std::optional<Description> description = {});

// Every dashboard route except the pages.
std::vector<DashboardRoute> dashboard_routes(const V1Settings& settings = {});

std::vector<DashboardRoute> sign_in_routes();
std::vector<DashboardRoute> account_routes();
std::vector<DashboardRoute> provider_routes();  // if there is a provider
std::vector<DashboardRoute> own_key_routes();
std::vector<DashboardRoute> billing_routes();
std::vector<DashboardRoute> usage_history_routes();
std::vector<DashboardRoute> request_routes();
std::vector<DashboardRoute> own_record_routes(const V1Settings& settings);

}  // namespace tilth
