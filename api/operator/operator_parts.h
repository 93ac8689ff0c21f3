// What the routes of the operator API share.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/exchange.h"
#include "api/http/http.h"
#include "api/keys/access_lease.h"
#include "api/keys/key_digest.h"
#include "api/keys/key_ring.h"
#include "api/operator/node_standing.h"
#include "api/operator/operated_log_check.h"
#include "api/operator/operated_projection.h"
#include "api/operator/trends.h"
#include "api/platform/person_eraser.h"
#include "api/platform/row_faults.h"
#include "api/platform/streams.h"
#include "api/routing/read_request.h"
#include "api/routing/route.h"
#include "api/usage/request_log.h"
#include "api/usage/sessions.h"
#include "command/loop/cells.h"
#include "events/access/plan.h"
#include "events/log/event_log.h"
#include "events/log/history_import.h"
#include "events/values/duration.h"
#include "events/values/ids.h"
#include "events/values/time.h"
#include "projections/history/stream_index.h"

namespace tilth {

class OperatedArchive;
class OperatedBackup;

// Moves the test clock; see TestClock.
struct ClockMover {
  std::function<Status(CalendarDuration)> advance;
  std::function<Status(Timestamp)> move_to;
};

// Borrowed; must outlive the API.
struct OperatorParts {
  std::string version;
  std::string node;
  std::vector<std::string> roles;  // "command", "query" …
  std::string log_kind;
  std::string topic = {};                 // on Kafka
  std::vector<std::string> brokers = {};  // on Kafka
  // Whether no other node announces itself; null: there can be none.
  std::function<bool()> alone = {};
  std::function<std::string()> listen, operator_listen;  // the addresses of the two APIs
  std::function<std::vector<NodeStanding>()> nodes;      // this one first
  EventLog& log;
  StreamIndex& index;
  CommandLoop& access;
  Cells& registry;
  const RowFaults& row_faults;
  std::vector<OperatedProjection*> projections;  // every one
  OperatedLogCheck* log_check = nullptr;         // null: the brokers keep the log
  OperatedArchive* archive = nullptr;            // null: the brokers keep the log
  const KeyDigest& digest;
  RateLimiter& limiter;
  Sessions& sessions;
  RequestLog& requests;
  const Clock& clock;
  const IdSource& ids;
  StreamThreads* streams = nullptr;  // owned by OperatorSurface
  std::function<bool(const std::string& plan)> plan_exists;
  std::function<std::string(const std::string& password)> hash_password;
  std::function<std::string()> metrics;
  OperatedBackup& backup;
  BeginImport begin_import;  // null: imports are not allowed
  std::function<bool()> ready;
  // The topic that this node must read before it admits a key; null: it has.
  std::function<std::optional<std::string>()> waits_for = [] { return std::nullopt; };
  std::optional<ClockMover> clock_mover = {};
  // Runs `done` once everything due by now has happened and can be read.
  using RunDue = std::function<void(std::function<void(const Status&)> done)>;
  RunDue run_due = {};
  PersonEraser* eraser = nullptr;
  AccessLease* lease = nullptr;  // null: no other node writes to the log
  bool commands = true;          // this node has the command role
  // Fetches a file of exchange rates, blocking until it has arrived, and names its source.
  struct FetchedRates {
    std::function<Result<std::string>()> fetch;
    std::string source;
  } fetched_rates = {};
  // Whether this node holds the land of that user: kConflict, which names the nodes that do.
  std::function<Status(const std::string& user)> holds = [](const auto&) { return kDone; };
  // Has a node give away what it holds; null: the nodes do not divide the land among them. `done`
  // gets kNotFound if no live node has that id.
  std::function<void(const std::string& node, std::function<void(const Status&)> done)> drain = {};
  const Plans* plans = nullptr;
  const Trends* trends = nullptr;
};

// The routes for operators; all but a few require the operator's token.
using OperatorRoute = SurfaceRoute<const OperatorParts>;

using OperatorHandler = std::function<void(const OperatorParts&, const Call&)>;
OperatorRoute operator_route(std::string_view method, std::string_view pattern,
                             std::string_view summary, OperatorHandler serve);

// Needs no token.
OperatorRoute open_route(std::string_view method, std::string_view pattern,
                         std::string_view summary, OperatorHandler serve);

}  // namespace tilth
