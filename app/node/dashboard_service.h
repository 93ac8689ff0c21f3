// Builds the dashboard: the identity provider, the routes and the pages.

#pragma once

#include <memory>
#include <vector>

#include "api/dashboard/dashboard.h"
#include "api/dashboard/pages.h"
#include "app/node/node_usage.h"
#include "app/node/node_work.h"
#include "infra/config/config.h"
#include "infra/log_lines/log_lines.h"
#include "infra/oidc/open_id_provider.h"

namespace tilth {

// Threads: one creates, stops and destroys it.
class DashboardService {
 public:
  // Borrowed; must outlive it.
  struct Borrowed {
    CommandLoop& access;
    Cells& registry;
    const RowFaults& row_faults;
    NodeUsage& usage;
    RateLimiter& limiter;
    const KeyDigest& digest;
    const Clock& clock;
    const IdSource& ids;
    LogLines& log;
    NodeWork& work;
    AccessLease* lease;  // null: this node is alone
    ByteQuota& bytes;
    PersonEraser& eraser;
  };

  DashboardService(const Config& config, const Borrowed& borrowed);

  // The API and the pages, one of which describes the API, including `v1`.
  std::vector<Route> routes(const std::vector<Route>& v1, const V1Settings& settings);

  std::uint64_t sign_ins_refused() { return dashboard_->sign_ins().refused(); }

  // Ends requests to the provider.
  void stop();

 private:
  const MapTiles tiles_;
  std::unique_ptr<OpenIdProvider> provider_;
  std::unique_ptr<Dashboard> dashboard_;
};

}  // namespace tilth
