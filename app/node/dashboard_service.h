// What the dashboard is made of: the threads for passwords and for the identity provider, and its
// routes and pages.

#pragma once

#include <memory>
#include <vector>

#include "api/dashboard/dashboard.h"
#include "app/node/node_usage.h"
#include "infra/config/config.h"
#include "infra/log_lines/log_lines.h"
#include "infra/oidc/open_id_provider.h"

namespace tilth {

// Threads: one makes, stops and destroys it.
class DashboardService {
 public:
  // What it borrows; all of it outlives it.
  struct Borrowed {
    CommandLoop& access;
    CommandLoop& registry;
    const RowFaults& row_faults;
    NodeUsage& usage;
    RateLimiter& limiter;
    const KeyDigest& digest;
    const Clock& clock;
    const IdSource& ids;
    LogLines& log;
    AccessLease* lease;  // null: this node is alone
  };

  DashboardService(const Config& config, const Borrowed& borrowed);

  // Its API and its pages, one of which describes the API, of `v1` too.
  std::vector<Route> routes(const std::vector<Route>& v1);

  // Who is signing in is answered, if it goes quickly. The server must still be there.
  void stop();

 private:
  std::unique_ptr<OpenIdProvider> provider_;
  std::unique_ptr<Dashboard> dashboard_;
  std::unique_ptr<ThreadPool> passwords_, askers_;
};

}  // namespace tilth
