// Serves the routes of one listener: every request passes the same checks before its route runs, in
// the order that the contract fixes.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/guards/guards.h"
#include "api/http/http.h"
#include "api/platform/fair_executor.h"
#include "api/platform/row_faults.h"
#include "api/platform/single_requests.h"
#include "api/routing/call.h"
#include "api/routing/router.h"
#include "events/values/ids.h"
#include "events/values/time.h"
#include "projections/fold/projector.h"

namespace tilth {

class Batches;
class Forwarding;
class Operations;

// The guards below a path for requests without a route.
struct Mount {
  std::vector<std::string_view> segments = {};  // {"api", "v1"}; none: all other paths
  Guard no_path = Guard::kNone;
  Guard no_method = Guard::kNone;
  Guard options = Guard::kNone;
};

// Threads: handle() from any.
class Dispatcher final : public HttpHandler, public SingleRequests {
 public:
  // Borrowed; must outlive the dispatcher.
  struct Parts {
    const Guards& guards;
    const RowFaults& row_faults;
    const Clock& clock;
    const IdSource& ids;
    Operations* operations = nullptr;   // null: every route has a handler
    Batches* batches = nullptr;         // null: no route is a batch
    FairExecutor* executor = nullptr;   // for handlers of large bodies; null: they run at once
    const Projector* access = nullptr;  // the source of keys; null: nothing waits for it
    Forwarding* forwarding = nullptr;   // nodes with other owners' rows; null: all are here
    std::vector<Mount> mounts = {{}};   // the first match counts; the last matches all
    Exchange::OnAnswered on_answered = {};
    BeginSpan begin_span = {};  // empty: no traces are exported
  };

  Dispatcher(Parts parts, std::vector<Route> routes);

  // Until then every request gets 503. The operator API is ready from the start.
  void set_ready(bool ready) { ready_ = ready; }

  void handle(HttpRequest request, std::unique_ptr<Responder> responder) override;
  // A request that another node has admitted and forwards: its caller is known and counted. It is
  // never forwarded again; 421 if the rows are not here.
  void handle_forwarded(HttpRequest request, std::unique_ptr<Responder> responder);
  BodyPlan plan_body(const HttpRequest& head) const override;
  HttpResponse refuse(int status, std::string_view reason, const HttpRequest& request) override;
  void carry_out_single(Call call) const override;
  bool runs_alone(std::string_view method, std::string_view path) const override;

 private:
  // A request and the progress of its checks.
  struct Arrival {
    Call call;
    Router::Match match = {};
    const Route* route = nullptr;  // null: no such path, or none with that method
    bool confirmed = false;        // what this node knows of keys is recent enough
  };
  enum class Next { kGoOn, kAnswered, kConfirm };
  using Check = Next (Dispatcher::*)(Arrival&) const;
  static const Check kChecks[];
  static const Check kChecksOfSingle[];
  static const Check kChecksOfForwarded[];

  void run(Arrival arrival, std::size_t next_check) const;
  void confirm(Arrival arrival, std::size_t check) const;
  void carry_out_forwarded(Arrival arrival) const;
  void carry_out(Arrival arrival) const;
  void carry_out_here(Arrival arrival) const;
  void carry_out(const Handler& handler, const Call& call) const;
  Guard guard_of(const Arrival& arrival) const;

  // The rate headers of a response that nothing was counted for.
  void show_address_rate(const Call& call) const;

  Next is_for_us(Arrival& arrival) const;
  Next is_ready(Arrival& arrival) const;
  Next find_route(Arrival& arrival) const;
  Next is_admitted(Arrival& arrival) const;
  Next is_resource(Arrival& arrival) const;
  Next has_path(Arrival& arrival) const;
  Next asks_options(Arrival& arrival) const;
  Next has_method(Arrival& arrival) const;
  Next is_authorized(Arrival& arrival) const;
  Next has_fitting_body(Arrival& arrival) const;
  Next has_no_coding(Arrival& arrival) const;
  Next has_media_type(Arrival& arrival) const;
  Next has_read_body(Arrival& arrival) const;
  Next is_known(Arrival& arrival) const;
  Next has_parts(Arrival& arrival) const;

  bool is_served() const;
  BodyPlan plan_admitted(const Route& route, const HttpRequest& head) const;

  const Parts parts_;
  const Router router_;
  Exchange::RunElsewhere run_elsewhere_;
  std::atomic<bool> ready_ = false;
};

}  // namespace tilth
