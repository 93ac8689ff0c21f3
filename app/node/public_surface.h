// The public port: /api/v1, the dashboard's API and its pages, and their guards.

#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "api/guards/guards.h"
#include "api/platform/batches.h"
#include "api/platform/dispatcher.h"
#include "api/platform/operations.h"
#include "api/platform/person_eraser.h"
#include "api/platform/row_faults.h"
#include "api/webhooks/webhook_deliveries.h"
#include "app/node/dashboard_service.h"
#include "app/node/history_service.h"
#include "app/node/node_usage.h"
#include "app/node/node_work.h"
#include "infra/config/config.h"
#include "infra/metrics/metrics.h"

namespace tilth {

// Threads: one creates, stops and destroys it.
class PublicSurface {
 public:
  // Borrowed; must outlive the surface.
  struct Parts {
    const Config& config;
    CommandLoop& access;
    Cells& registry;
    std::map<std::string_view, Cells*> others;  // other projections that routes query
    const KeyRing& ring;
    const KeyDigest& digest;
    NodeUsage& usage;
    RateLimiter& limiter;
    HistoryService& history;
    NodeWork& work;
    const RowFaults& row_faults;
    const Clock& clock;
    const IdSource& ids;
    LogLines& log_lines;
    AccessLease* lease;  // null: this node is alone
    ByteQuota& bytes;
    WebhookDeliveries& webhooks;
    PersonEraser& eraser;
    Forwarding* forwarding = nullptr;  // null: all owners' rows are here
  };

  explicit PublicSurface(const Parts& parts);

  Dispatcher::Parts dispatcher_parts(Exchange::OnAnswered on_answered);
  std::vector<Route> routes();

  void report(Samples& to);  // metrics

  // Ends requests to other services.
  void stop() { dashboard_.stop(); }

 private:
  const Parts parts_;
  const PlanLookup plan_;
  const AddressGuard address_guard_;
  const KeyGuard key_guard_;
  const SessionGuard session_guard_;
  const Guards guards_;
  Operations operations_;
  Batches batches_;
  DashboardService dashboard_;
};

}  // namespace tilth
