// The operator API: users, keys, state, history and the clock, for whoever runs the service.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/access_lease.h"
#include "api/exchange.h"
#include "api/http.h"
#include "api/key_digest.h"
#include "api/key_ring.h"
#include "api/operator/operated_projection.h"
#include "api/read_request.h"
#include "api/router.h"
#include "api/streams.h"
#include "command/command_loop.h"
#include "events/duration.h"
#include "events/event_log.h"
#include "events/history_import.h"
#include "events/ids.h"
#include "events/time.h"
#include "projections/stream_index.h"

namespace tilth {

// Moves a clock that stands; see TestClock.
struct ClockMover {
  std::function<Status(CalendarDuration)> advance;
  std::function<Status(Timestamp)> move_to;
};

// What the API lends from; all of it outlives it.
struct OperatorParts {
  std::string token;
  std::string version;
  std::string node;
  std::string roles;  // "command,query,project,clock"
  std::string log_kind;
  std::function<std::string()> listen, operator_listen;  // where the two APIs do
  EventLog& log;
  StreamIndex& index;
  CommandLoop& access;
  CommandLoop& registry;
  std::vector<OperatedProjection*> projections;  // all that there are
  const KeyDigest& digest;
  RateLimiter& limiter;
  const Clock& clock;
  const IdSource& ids;
  StreamThreads* streams;
  std::function<bool(const std::string& plan)> plan_exists;
  std::function<std::string(const std::string& password)> hash_password;
  std::function<std::string()> metrics;
  std::function<Result<std::uintmax_t>(const std::string& directory)> back_up;
  BeginImport begin_import;  // null: nothing is imported here
  std::function<bool()> ready;
  std::optional<ClockMover> clock_mover = {};
  // Runs `done` once all that is due by now has happened and can be read.
  using Settle = std::function<void(std::function<void(const Status&)> done)>;
  Settle settle = {};
  Exchange::OnAnswered on_answered = {};
  AccessLease* lease = nullptr;  // null: nobody else writes to the log
  bool commands = true;          // this node has the role
  // A file of exchange rates from where they are, waiting for it, and what its source is called.
  struct FetchedRates {
    std::function<Result<std::string>()> fetch;
    std::string source;
  } fetched_rates = {};
};

// One request to a route, and where its answer goes.
struct OperatorCall {
  std::shared_ptr<Exchange> exchange;
  Parameters path;
  Parameters query;

  const std::string& id(std::string_view name) const;  // from the path
};

struct OperatorRoute {
  std::string_view method;
  std::string_view pattern;
  std::string_view summary;
  bool open = false;  // answers without the token
  std::function<void(const OperatorParts&, OperatorCall)> serve;
  std::string_view body_type = "application/json";
  bool large_body = false;  // it goes to a file and not to memory
};

// Threads: handle() from any.
class OperatorApi final : public HttpHandler {
 public:
  OperatorApi(OperatorParts parts, std::vector<OperatorRoute> routes);

  void handle(HttpRequest request, std::unique_ptr<Responder> responder) override;
  bool answers_from_head(const HttpRequest& head) const override;
  bool takes_large_body(const HttpRequest& head) const override;
  HttpResponse refuse(int status, std::string_view reason, const HttpRequest& heard) override;

 private:
  const OperatorParts parts_;
  const Router<OperatorRoute> router_;
};

// Every route of the operator API.
std::vector<OperatorRoute> operator_routes();

std::vector<OperatorRoute> operator_user_routes();
std::vector<OperatorRoute> operator_key_routes();
std::vector<OperatorRoute> operator_ai_request_routes();
std::vector<OperatorRoute> operator_state_routes();
std::vector<OperatorRoute> operator_event_routes();
std::vector<OperatorRoute> operator_import_routes();
std::vector<OperatorRoute> operator_clock_routes();
std::vector<OperatorRoute> operator_backup_routes();
std::vector<OperatorRoute> operator_library_routes();
std::vector<OperatorRoute> operator_projection_routes();
std::vector<OperatorRoute> operator_template_routes();
std::vector<OperatorRoute> operator_exchange_rate_routes();

}  // namespace tilth
