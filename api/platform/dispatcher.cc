#include "api/platform/dispatcher.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/http/content_coding.h"
#include "api/http/media_type.h"
#include "api/http/query_string.h"
#include "api/http/refusal.h"
#include "api/platform/batches.h"
#include "api/platform/forwarded_arrival.h"
#include "api/platform/forwarding.h"
#include "api/platform/operations.h"

namespace tilth {
namespace {

// Records are below it for sessions, and below /api/v1 for keys.
constexpr std::string_view kSessionMount = "/api";

// A question about all owners is joined where it arrives.
bool is_joint(const Route& route) {
  const auto* operation = std::get_if<Operation>(&route.action);
  return operation != nullptr && operation->is_joint;
}

bool takes_body(const HttpRequest& request) {
  return request.method == "POST" || request.method == "PUT";
}

}  // namespace

// A request with several errors gets the first of these (docs/api.md, "Errors"). Operations
// continues: Idempotency-Key, ids, values, stored state.
const Dispatcher::Check Dispatcher::kChecks[] = {
    &Dispatcher::is_for_us,         // 403 for the host
    &Dispatcher::is_ready,          // 503
    &Dispatcher::find_route,        //
    &Dispatcher::is_admitted,       // 401, 429, 403 for the address
    &Dispatcher::has_path,          // 404
    &Dispatcher::asks_options,      // 204
    &Dispatcher::has_method,        // 405
    &Dispatcher::is_authorized,     // 403 for the scope or another site
    &Dispatcher::has_fitting_body,  // 413
    &Dispatcher::has_no_coding,     // 415
    &Dispatcher::has_media_type,    // 415
    &Dispatcher::has_read_body,     // 503
};

// Of a request within a batch. Its caller was admitted with the batch.
const Dispatcher::Check Dispatcher::kChecksOfSingle[] = {
    &Dispatcher::find_route,        //
    &Dispatcher::is_resource,       // 404
    &Dispatcher::has_method,        // 405
    &Dispatcher::is_authorized,     // 403 for the scope
    &Dispatcher::has_fitting_body,  // 413
};

// Of a request that another node forwards.
const Dispatcher::Check Dispatcher::kChecksOfForwarded[] = {
    &Dispatcher::find_route,        //
    &Dispatcher::has_path,          // 404
    &Dispatcher::has_method,        // 405
    &Dispatcher::has_fitting_body,  // 413
    &Dispatcher::is_known,          // 401
    &Dispatcher::has_parts,         // 421
};

Dispatcher::Dispatcher(Parts parts, std::vector<Route> routes)
    : parts_(std::move(parts)), router_(std::move(routes)) {
  if (parts_.executor == nullptr) return;
  run_elsewhere_ = [executor = parts_.executor](const std::string& owner, auto work) {
    const auto posted =
        executor->post({.owner = owner,
                        .kind = WorkKind::kBody,
                        .run = [work](WorkToken& token) { work([&] { token.go_on(); }); },
                        .continues = true});
    if (!posted) work([] {});  // the service stops
  };
}

void Dispatcher::handle(HttpRequest request, std::unique_ptr<Responder> responder) {
  const auto now = parts_.clock.now();
  auto id = request_id_of(request, [&] { return parts_.ids.uuid(now); });
  auto client = parts_.guards.client_of(request);
  const bool over_tls = parts_.guards.came_over_tls(request);
  auto exchange = std::make_shared<Exchange>(std::move(request), std::move(responder),
                                             std::move(id), parts_.on_answered);
  const auto traceparent = traceparent_of(exchange->request());
  if (parts_.begin_span) {
    exchange->set_trace(traceparent, parts_.begin_span(traceparent));
  } else if (!traceparent.empty()) {
    exchange->set_trace(traceparent);
  }
  if (over_tls) exchange->set_over_tls();
  if (run_elsewhere_) exchange->set_elsewhere(run_elsewhere_);
  run({.call = {.exchange = std::move(exchange), .client = std::move(client), .now = now}}, 0);
}

void Dispatcher::handle_forwarded(HttpRequest request, std::unique_ptr<Responder> responder) {
  const auto now = parts_.clock.now();
  auto id = request_id_of(request, [&] { return parts_.ids.uuid(now); });
  auto exchange = std::make_shared<Exchange>(std::move(request), std::move(responder),
                                             std::move(id), Exchange::OnAnswered());
  if (const auto parent = traceparent_of(exchange->request()); !parent.empty()) {
    exchange->set_trace(parent);
  }
  if (run_elsewhere_) exchange->set_elsewhere(run_elsewhere_);
  if (!is_served()) return exchange->answer(Forwarding::not_here());
  take_forwarded(*parts_.forwarding, exchange, [this, exchange, now] {
    auto client = exchange->request().peer;
    Call call{.exchange = exchange, .client = std::move(client), .now = now};
    call.forwarded = true;
    carry_out_forwarded({.call = std::move(call)});
  });
}

void Dispatcher::carry_out_forwarded(Arrival arrival) const {
  parts_.row_faults.guard(arrival.call.exchange, [&] {
    for (const auto check : kChecksOfForwarded) {
      if ((this->*check)(arrival) == Next::kAnswered) return;
    }
    carry_out_here(std::move(arrival));
  });
}

void Dispatcher::run(Arrival arrival, std::size_t next_check) const {
  parts_.row_faults.guard(arrival.call.exchange, [&] {
    for (; next_check < std::size(kChecks); ++next_check) {
      const auto next = (this->*kChecks[next_check])(arrival);
      if (next == Next::kAnswered) return;
      if (next == Next::kConfirm) return confirm(std::move(arrival), next_check);
    }
    carry_out(std::move(arrival));
  });
}

// Continues with that check once this node knows of keys what other nodes know.
void Dispatcher::confirm(Arrival arrival, std::size_t check) const {
  auto& lease = parts_.guards.lease();
  lease.when_it_holds([this, &lease, arrival = std::move(arrival), check](bool known) mutable {
    if (!known || !lease.holds()) return arrival.call.answer(AccessLease::expired());
    arrival.confirmed = true;
    run(std::move(arrival), check);
  });
}

void Dispatcher::carry_out(Arrival arrival) const {
  const auto& route = *arrival.route;
  const bool needs_rows = route.needs_rows || !std::holds_alternative<Handler>(route.action);
  if (parts_.forwarding == nullptr || !needs_rows || is_joint(route) ||
      parts_.forwarding->is_here(arrival.call.user_id())) {
    return carry_out_here(std::move(arrival));
  }
  parts_.forwarding->forward(std::move(arrival.call));
}

void Dispatcher::carry_out_here(Arrival arrival) const {
  auto& call = arrival.call;
  call.path = std::move(arrival.match.path);
  call.query = read_query(call.request().query);
  const auto& route = *arrival.route;
  if (const auto* handler = std::get_if<Handler>(&route.action)) return carry_out(*handler, call);
  if (std::holds_alternative<BatchOfRequests>(route.action)) {
    return parts_.batches->carry_out(std::move(call), *this);
  }
  parts_.operations->carry_out(route, std::get<Operation>(route.action), std::move(call));
}

void Dispatcher::carry_out_single(Call single) const {
  Arrival arrival{.call = std::move(single)};
  for (const auto check : kChecksOfSingle) {
    if ((this->*check)(arrival) == Next::kAnswered) return;
  }
  auto& call = arrival.call;
  call.path = std::move(arrival.match.path);
  call.query = read_query(call.request().query);
  const auto& route = *arrival.route;
  if (const auto* handler = std::get_if<Handler>(&route.action)) {
    return parts_.row_faults.guard(call.exchange, [&] { (*handler)(call); });
  }
  parts_.operations->carry_out_here(route, std::get<Operation>(route.action), std::move(call));
}

bool Dispatcher::runs_alone(std::string_view method, std::string_view path) const {
  const PathSegments segments(path);
  const auto match = router_.match(segments.all());
  const auto* route = match.find(method);
  return route != nullptr && std::holds_alternative<Handler>(route->action);
}

// Parsing a large body takes long.
void Dispatcher::carry_out(const Handler& handler, const Call& call) const {
  constexpr std::size_t kLargeBody = 8 << 10;
  if (parts_.executor == nullptr || call.request().body.size() <= kLargeBody) return handler(call);
  const auto posted = parts_.executor->post(
      {.owner = call.holder || call.user ? call.user_id() : call.client,
       .kind = WorkKind::kBody,
       .run =
           [this, &handler, call](WorkToken& token) {
             if (!token.go_on()) return call.answer(token.error());
             parts_.row_faults.guard(call.exchange, [&] { handler(call); });
           },
       .abandoned = [exchange = call.exchange] { return exchange->abandoned(); }});
  if (!posted) call.answer(posted.error());
}

void Dispatcher::show_address_rate(const Call& call) const {
  if (const auto rate = parts_.guards.look(call.client)) call.exchange->set_rate(*rate);
}

Dispatcher::Next Dispatcher::is_for_us(Arrival& arrival) const {
  const auto admitted = parts_.guards.admit_host(arrival.call.request());
  if (!admitted) return arrival.call.answer(admitted.error()), Next::kAnswered;
  return Next::kGoOn;
}

Dispatcher::Next Dispatcher::is_ready(Arrival& arrival) const {
  if (is_served()) return Next::kGoOn;
  show_address_rate(arrival.call);
  return arrival.call.answer(ready_ ? read_model_lags() : not_ready()), Next::kAnswered;
}

// While access lags, a key may have been revoked.
bool Dispatcher::is_served() const {
  return ready_ && (parts_.access == nullptr || !parts_.access->lacks_events());
}

Dispatcher::Next Dispatcher::find_route(Arrival& arrival) const {
  auto& exchange = *arrival.call.exchange;
  arrival.match = router_.match(exchange.segments());
  arrival.route = arrival.match.find(exchange.request().method);
  if (!arrival.match.routes.empty()) exchange.set_route(arrival.match.routes.front()->pattern);
  return Next::kGoOn;
}

Guard Dispatcher::guard_of(const Arrival& arrival) const {
  if (arrival.route != nullptr) return arrival.route->guard;
  const auto segments = arrival.call.exchange->segments();
  const auto mount =
      std::find_if(parts_.mounts.begin(), std::prev(parts_.mounts.end()), [&](const Mount& each) {
        return segments.size() >= each.segments.size() &&
               std::equal(each.segments.begin(), each.segments.end(), segments.begin());
      });
  if (arrival.match.routes.empty()) return mount->no_path;
  return arrival.call.request().method == "OPTIONS" ? mount->options : mount->no_method;
}

Dispatcher::Next Dispatcher::is_admitted(Arrival& arrival) const {
  auto& call = arrival.call;
  const auto guard = guard_of(arrival);
  if (guard != Guard::kKey) show_address_rate(call);  // a key's own rate is always counted
  const bool was_current = parts_.guards.is_current();
  const auto identified = parts_.guards.identify(guard, call);
  if (!arrival.confirmed && parts_.guards.in_doubt(identified, call, was_current)) {
    show_address_rate(call);
    return Next::kConfirm;
  }
  const auto admitted = parts_.guards.admit(guard, call, identified);
  if (call.holder) {
    call.exchange->set_key(call.holder->user_id, call.holder->key_id, call.client);
  }
  if (!admitted) return call.answer(admitted.error()), Next::kAnswered;
  if (call.holder || call.user) call.exchange->set_account(call.user_id());
  return Next::kGoOn;
}

// A batch has no batches within, and nothing of the dashboard but what keys may call, too.
Dispatcher::Next Dispatcher::is_resource(Arrival& arrival) const {
  const auto& call = arrival.call;
  auto routes = arrival.match.routes;
  if (call.holder == nullptr) {
    const auto path = "/api/v1" + call.request().path.substr(kSessionMount.size());
    const PathSegments segments(path);
    routes = router_.match(segments.all()).routes;
  }
  const bool is_resource = std::all_of(routes.begin(), routes.end(), [](const Route* each) {
    return !std::holds_alternative<BatchOfRequests>(each->action);
  });
  if (!is_resource || routes.empty()) arrival.match.routes = {};
  return has_path(arrival);
}

Dispatcher::Next Dispatcher::has_path(Arrival& arrival) const {
  const auto& call = arrival.call;
  if (!arrival.match.routes.empty()) return Next::kGoOn;
  return call.answer(Error{ErrorCode::kNoRoute, "There is no such path."}), Next::kAnswered;
}

Dispatcher::Next Dispatcher::asks_options(Arrival& arrival) const {
  const auto& call = arrival.call;
  if (call.request().method != "OPTIONS") return Next::kGoOn;
  return call.answer(HttpResponse{204, {{"Allow", arrival.match.allow()}}}), Next::kAnswered;
}

Dispatcher::Next Dispatcher::has_method(Arrival& arrival) const {
  if (arrival.route != nullptr) return Next::kGoOn;
  const auto& call = arrival.call;
  auto response = refusal(Error{ErrorCode::kMethodNotAllowed,
                                "This path does not answer to " + call.request().method + "."});
  response.headers.emplace_back("Allow", arrival.match.allow());
  return call.answer(std::move(response)), Next::kAnswered;
}

Dispatcher::Next Dispatcher::is_authorized(Arrival& arrival) const {
  const auto authorized = parts_.guards.authorize(*arrival.route, arrival.call);
  if (!authorized) return arrival.call.answer(authorized.error()), Next::kAnswered;
  return Next::kGoOn;
}

Dispatcher::Next Dispatcher::has_fitting_body(Arrival& arrival) const {
  if (!arrival.call.request().body_too_large) return Next::kGoOn;
  arrival.call.answer(Error{ErrorCode::kPayloadTooLarge, "The body is too large."});
  return Next::kAnswered;
}

// Accept-Encoding distinguishes this refusal from one of the media type (RFC 9110, 15.5.16).
Dispatcher::Next Dispatcher::has_no_coding(Arrival& arrival) const {
  const auto& request = arrival.call.request();
  const auto codings = request.joined("content-encoding");
  if (!takes_body(request) || !codings || is_uncoded(*codings)) return Next::kGoOn;
  auto response =
      refusal(Error{ErrorCode::kUnsupportedMediaType, "Send the body without a Content-Encoding."});
  response.headers.emplace_back("Accept-Encoding", name_of(ContentCoding::kIdentity));
  return arrival.call.answer(std::move(response)), Next::kAnswered;
}

Dispatcher::Next Dispatcher::has_media_type(Arrival& arrival) const {
  const auto& request = arrival.call.request();
  const auto wanted = arrival.route->body_type;
  if (!takes_body(request)) return Next::kGoOn;
  const bool is_sent = is_media_type(request.header("content-type"), wanted);
  if (is_sent && !request.repeats("content-type")) return Next::kGoOn;
  arrival.call.answer(
      Error{ErrorCode::kUnsupportedMediaType, "Send " + std::string(wanted) + " in UTF-8."});
  return Next::kAnswered;
}

// It was to be refused when its head arrived, and no longer is: a rate limit's window has moved on.
Dispatcher::Next Dispatcher::has_read_body(Arrival& arrival) const {
  if (!arrival.call.request().body_unread || arrival.route->method == "GET") return Next::kGoOn;
  arrival.call.answer(Error{.code = ErrorCode::kUnavailable,
                            .message = "The body was not read; send the request again.",
                            .retry_after_seconds = 1});
  return Next::kAnswered;
}

Dispatcher::Next Dispatcher::is_known(Arrival& arrival) const {
  auto& call = arrival.call;
  const auto guard = arrival.route->guard;
  const auto known =
      parts_.guards.identify_forwarded(guard, call, Forwarding::caller_of(call.request()));
  if (!known) return call.answer(known.error()), Next::kAnswered;
  call.exchange->set_account(call.user_id());
  return Next::kGoOn;
}

// Of a joint question, whose cells are each checked for themselves.
Dispatcher::Next Dispatcher::has_parts(Arrival& arrival) const {
  const bool asks = Forwarding::asks_for_parts(arrival.call.request());
  if (!asks || is_joint(*arrival.route)) return Next::kGoOn;
  return arrival.call.answer(Forwarding::not_here()), Next::kAnswered;
}

// The response to a request that the checks refuse depends on its head alone. Rows that cannot be
// read are reported when the request itself is handled.
BodyPlan Dispatcher::plan_body(const HttpRequest& head) const {
  const PathSegments segments(head.path);
  const auto match = router_.match(segments.all());
  const auto* route = match.find(head.method);
  if (route == nullptr || !is_served()) return {BodyUse::kUnread};
  try {
    return plan_admitted(*route, head);
  } catch (const UnreadableRows&) {
    return {BodyUse::kUnread};
  }
}

BodyPlan Dispatcher::plan_admitted(const Route& route, const HttpRequest& head) const {
  auto [refused, account, known] = parts_.guards.preview(route, head);
  const bool ignored = head.method == "GET" || head.method == "HEAD";
  const bool needless = parts_.guards.has_operators() && (ignored || route.guard == Guard::kNone);
  if (refused || needless) return {BodyUse::kUnread};
  if (ignored) return {BodyUse::kDiscard};
  return {route.large_body ? BodyUse::kFile : BodyUse::kMemory, std::move(account), known,
          route.most_body_bytes};
}

// An invalid request has no user: it is not counted, and shows what remains for the address.
HttpResponse Dispatcher::refuse(int status, std::string_view reason, const HttpRequest& request) {
  auto response = protocol_refusal(status, reason);
  const auto now = parts_.clock.now();
  response.headers.emplace_back("X-Request-Id",
                                request_id_of(request, [&] { return parts_.ids.uuid(now); }));
  if (const auto rate = parts_.guards.look(parts_.guards.client_of(request))) {
    show_rate(*rate, response);
  }
  keep_private(response);
  return response;
}

}  // namespace tilth
