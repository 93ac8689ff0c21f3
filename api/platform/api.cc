#include "api/platform/api.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/http/conditional.h"
#include "api/http/media_type.h"
#include "api/http/query_string.h"
#include "api/platform/as_of.h"
#include "api/platform/idempotency.h"
#include "api/platform/read_point.h"
#include "api/platform/refusal.h"
#include "api/v1/history/own_history.h"
#include "projections/market/market.h"
#include "projections/work/overdue.h"

namespace tilth {
namespace {

constexpr std::size_t kLargeBody = 8 << 10;                              // about 1,000 positions
constexpr std::size_t kReadersOfLarge = 2, kMostLargeWaiting = 100'000;  // connections are fewer

bool mutates(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "DELETE";
}

// From the 403 of a strange address to the 415 of a body that cannot be read.
Status check_request(const HttpRequest& request, const KeyHolder& holder, const Route& route) {
  if (!holder.scopes.include(route.scope)) {
    return lacks_scope(route.scope);
  }
  if (request.body_too_large) {
    return Error{ErrorCode::kPayloadTooLarge, "The body is too large."};
  }
  const bool has_body = request.method == "POST" || request.method == "PUT";
  if (has_body && !is_json(request.header("content-type"))) {
    return Error{ErrorCode::kUnsupportedMediaType, "Send application/json in UTF-8."};
  }
  return kDone;
}

// A header that is not valid, and what is wrong with the query next to it; but ids that are none
// hide everything else.
Error with_faults_of(const Result<Intent>& intent, Error of_header) {
  if (intent) return of_header;
  if (intent.error().code != ErrorCode::kInvalid) return intent.error();
  of_header.issues.insert(intent.error().issues.begin(), intent.error().issues.end());
  return of_header;
}

constexpr int kMostStreams = 32;

// The last record that was read of each partition, anyone's it is.
std::vector<Position> read_of_all(const Projector& projector) {
  std::vector<Position> read;
  for (const auto& [partition, offset] : projector.progress().next) {
    if (offset > 0) read.push_back({partition, offset - 1});
  }
  return read;
}

}  // namespace

Api::Api(ApiSettings settings, ApiParts parts, std::vector<Route> routes)
    : settings_(std::move(settings)),
      parts_(std::move(parts)),
      router_(std::move(routes)),
      large_bodies_(kReadersOfLarge, kMostLargeWaiting) {}

void Api::handle(HttpRequest request, std::unique_ptr<Responder> responder) {
  auto id = request_id_of(request, [this] { return parts_.ids.uuid(parts_.clock.now()); });
  const auto exchange = std::make_shared<Exchange>(std::move(request), std::move(responder),
                                                   std::move(id), parts_.on_answered);
  serve(exchange);
}

// What is no request is no one's: it is not counted, and shows what the address has left.
HttpResponse Api::refuse(int status, std::string_view reason, const HttpRequest& heard) {
  auto response = protocol_refusal(status, reason);
  const auto now = parts_.clock.now();
  response.headers.emplace_back("X-Request-Id",
                                request_id_of(heard, [&] { return parts_.ids.uuid(now); }));
  const auto limit = settings_.unauthenticated_per_minute;
  show_rate(parts_.limiter.look_at_address(client_of(heard), limit, now), response);
  return response;
}

void Api::serve(const Shared& exchange) {
  const auto client = client_of(exchange->request());
  const auto now = parts_.clock.now();
  if (!ready_) {
    exchange->set_rate(
        parts_.limiter.look_at_address(client, settings_.unauthenticated_per_minute, now));
    return exchange->answer(unready());
  }
  if (parts_.access != nullptr && parts_.access->lacks_events()) {
    return exchange->answer(stands_still());  // its key may have been revoked
  }
  auto holder = authenticate(exchange->request(), parts_.digest, parts_.keys, now);
  if (!doubtful(holder, client, now)) return serve_caller(exchange, client, std::move(holder));
  parts_.lease->when_it_holds([this, exchange, client](bool known) {
    if (!known || !parts_.lease->holds()) return exchange->answer(AccessLease::has_not_heard());
    serve_caller(exchange, client,
                 authenticate(exchange->request(), parts_.digest, parts_.keys, parts_.clock.now()));
  });
}

// Whether other nodes may know better: that the key was revoked, or that it was minted.
bool Api::doubtful(const Result<Holder>& holder, const std::string& client, Timestamp now) const {
  if (parts_.lease == nullptr) return false;
  if (holder) return !parts_.lease->holds();
  if (holder.error().code != ErrorCode::kInvalidApiKey) return false;
  const auto limit = settings_.unauthenticated_per_minute;  // who guesses keys is not asked about
  return parts_.limiter.look_at_address(client, limit, now).remaining > 0;
}

void Api::serve_caller(const Shared& exchange, const std::string& client,
                       Result<Holder> authenticated) {
  const PathSegments path(exchange->request().path);
  const auto segments = path.all();
  const bool ours = segments.size() >= 2 && segments[0] == "api" && segments[1] == "v1";
  if (!ours) return serve_outside(exchange, client, authenticated);
  const auto holder = admit(*exchange, client, std::move(authenticated), parts_.clock.now());
  if (!holder) return exchange->answer(holder.error());
  const bool large = exchange->request().body.size() > kLargeBody;
  large ? serve_large(exchange, *holder) : serve_admitted(exchange, *holder, segments);
}

// Whether 10,000 positions are a valid polygon may take half a second, in which a server's own
// thread would keep its other clients waiting.
void Api::serve_large(const Shared& exchange, const Holder& holder) {
  const bool taken = large_bodies_.post([this, exchange, holder] {
    const PathSegments path(exchange->request().path);
    serve_admitted(exchange, holder, path.all());
  });
  if (taken) return;
  exchange->answer(Error{.code = ErrorCode::kUnavailable,
                         .message = "Too many large requests are under way.",
                         .retry_after_seconds = 1});
}

void Api::serve_admitted(const Shared& exchange, const Holder& holder,
                         std::span<const std::string_view> segments) {
  const auto match = router_.match(segments.subspan(2));
  if (match.routes.empty()) {
    return exchange->answer(Error{ErrorCode::kNoRoute, "There is no such path."});
  }
  exchange->set_route(match.routes.front()->pattern);
  if (exchange->request().method == "OPTIONS") {
    return exchange->answer(HttpResponse{204, {{"Allow", match.allow()}}});
  }
  serve_route(exchange, holder, match);
}

void Api::serve_outside(const Shared& exchange, const std::string& client,
                        const Result<Holder>& authenticated) {
  if (parts_.outside != nullptr) {
    const auto admitted = [this, &exchange, &client, &authenticated] {
      return admit(*exchange, client, authenticated, parts_.clock.now());
    };
    if (parts_.outside->serve({exchange, client, admitted})) return;
  }
  const auto rate = parts_.limiter.count_address(client, settings_.unauthenticated_per_minute,
                                                 parts_.clock.now());
  exchange->set_rate(rate);
  if (!rate.allowed) return exchange->answer(rate_refusal(rate));
  exchange->answer(Error{ErrorCode::kNoRoute, "There is no such path."});
}

// 401, 429 and 403 for the address. OPTIONS needs no key: then there is no holder.
Result<Api::Holder> Api::admit(Exchange& exchange, const std::string& client, Result<Holder> found,
                               Timestamp now) {
  const auto& request = exchange.request();
  if (!found) {
    const auto rate =
        parts_.limiter.count_address(client, settings_.unauthenticated_per_minute, now);
    exchange.set_rate(rate);
    if (!rate.allowed) return rate_refusal(rate);
    const bool needs_none =
        request.method == "OPTIONS" && found.error().code == ErrorCode::kMissingApiKey;
    if (needs_none) return Holder();
    return found.error();
  }
  const auto& holder = **found;
  const auto plan = settings_.plan(holder.plan);
  const auto rate = parts_.limiter.count_user(holder.user_id, plan.requests_per_hour, holder.key_id,
                                              holder.rate_limit, now);
  exchange.set_rate(rate);
  if (!rate.allowed) return rate_refusal(rate);
  if (holder.allowed_ips) {
    const auto address = Address::parse(client);
    const bool allowed =
        address && std::any_of(holder.allowed_ips->begin(), holder.allowed_ips->end(),
                               [&](const auto& network) { return network.contains(*address); });
    if (!allowed) {
      return Error{ErrorCode::kIpNotAllowed, "The API key may not be used from this address."};
    }
  }
  return std::move(*found);
}

void Api::serve_route(const Shared& exchange, const Holder& holder,
                      const Router<Route>::Match& match) {
  const auto& request = exchange->request();
  const auto* route = match.find(request.method);
  if (route == nullptr) {
    auto response = refusal(Error{ErrorCode::kMethodNotAllowed,
                                  "This path does not answer to " + request.method + "."});
    response.headers.emplace_back("Allow", match.allow());
    return exchange->answer(std::move(response));
  }
  if (const auto checked = check_request(request, *holder, *route); !checked) {
    return exchange->answer(checked.error());
  }
  if (const bool command = mutates(request.method);
      !(command ? settings_.commands : settings_.queries)) {
    return exchange->answer(not_done_here(command ? "command" : "query"));
  }
  const auto since = min_position(request);
  if (!since) return exchange->answer(since.error());
  const auto as_of = mutates(request.method)
                         ? Result<std::optional<Timestamp>>(std::optional<Timestamp>())
                         : earlier_time(request, *route, parts_.clock.now());
  const auto idempotency = mutates(request.method)
                               ? read_idempotency(request)
                               : Result<std::optional<Idempotency>>(std::optional<Idempotency>());
  if (!idempotency) return exchange->answer(idempotency.error());

  const Call call{match.path, read_query(request.query), request.path, request.body,
                  parts_.clock.now()};
  auto intent = route->read(call);
  if (!as_of) return exchange->answer(with_faults_of(intent, as_of.error()));
  if (!intent && !*idempotency) return exchange->answer(intent.error());
  Work work{exchange, holder, route, std::move(intent), *idempotency, *as_of};
  if (!*since || parts_.registry.projector().view(holder->user_id, **since)) {
    return go_on(std::move(work));
  }
  parts_.registry.when_reached(
      holder->user_id, **since, kTimeout, [this, work = std::move(work)](bool reached) {
        if (reached) return go_on(work);
        work.exchange->answer(
            Error{.code = ErrorCode::kUnavailable,
                  .message = "This node has not read up to Tilth-Min-Position yet.",
                  .retry_after_seconds = 1});
      });
}

void Api::go_on(Work work) {
  if (!work.intent || std::holds_alternative<Mutation>(*work.intent)) {
    return carry_out(std::move(work));
  }
  using OfHistory = std::shared_ptr<const HistoryQuery>;
  if (const auto* of_history = std::get_if<OfHistory>(&*work.intent)) {
    return parts_.own_history->answer(work.exchange, work.holder->user_id, *of_history);
  }
  work.as_of ? ask_past(std::move(work)) : ask(std::move(work));
}

void Api::carry_out(Work work) {
  if (parts_.registry.projector().stands_still()) return work.exchange->answer(stands_still());
  CommandRequest command{.stream = work.holder->user_id,
                         .actor = work.holder->key_id,
                         .request_id = work.exchange->request_id(),
                         .idempotency = work.idempotency,
                         .decide = {},
                         .farm_limit = settings_.plan(work.holder->plan).farms};
  auto& intent = work.intent;
  if (intent) {
    auto& mutation = std::get<Mutation>(*intent);
    command.decide = std::move(mutation.decide);
    command.shown_table = mutation.shown_table;
    command.shown_id = mutation.shown_id;
  } else {
    command.decide = [error = intent.error()](const Rows&, const Context&) -> Decision {
      return error;
    };
  }
  const auto if_match = work.exchange->request().joined("if-match");
  if (if_match && work.route->method != "POST") {
    command.if_match = read_entity_tags(*if_match);
  }
  parts_.registry.carry_out(
      std::move(command),
      [exchange = work.exchange, show = &work.route->show](const Result<CommandResult>& outcome) {
        if (!outcome) return exchange->answer(outcome.error());
        auto response = outcome->refusal ? refusal(*outcome->refusal)
                                         : (*show)(exchange->request().path, *outcome);
        if (outcome->replayed) {
          exchange->set_replayed();
          response.headers.emplace_back("Idempotent-Replayed", "true");
        }
        if (!outcome->refusal && outcome->position) {
          response.headers.emplace_back("Tilth-Position", position_token(*outcome->position));
        }
        exchange->answer(std::move(response));
      });
}

// The address that counts: of X-Forwarded-For behind a trusted proxy, else the peer's.
std::string Api::client_of(const HttpRequest& request) const {
  if (settings_.trusted_proxies.empty()) return request.peer;
  std::vector<std::string> forwarded;
  for (const auto& [name, value] : request.headers) {
    if (name == "x-forwarded-for") forwarded.push_back(value);
  }
  const auto address = client_address(request.peer, forwarded, settings_.trusted_proxies);
  return address ? address->text() : request.peer;
}

// Whatever computes an answer from rows does it in here, on whichever thread. Rows that cannot be
// read are 503, and fault the projection whose they are.
void Api::from_rows(const Shared& exchange, const std::function<void()>& answer) {
  try {
    answer();
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);
    exchange->answer(unreadable());
  }
}

void Api::cannot_read(const UnreadableRows& rows) {
  parts_.registry.projector().cannot_read(rows);
  for (const auto& [name, other] : parts_.others) other->projector().cannot_read(rows);
}

void Api::ask(Work work) {
  const auto exchange = work.exchange;
  from_rows(exchange, [&] {
    if (work.route->projection == kRegistry) return ask_registry(std::move(work));
    const bool of_all = !work.route->stream.empty();
    auto since = of_all ? read_of_all(parts_.registry.projector())
                        : parts_.registry.read_so_far(work.owner());
    ask_other(std::move(work), since);
  });
}

void Api::ask_registry(Work work) {
  const auto& owner = work.owner();
  const auto& registry = parts_.registry.projector();
  if (registry.lacks_events()) return work.exchange->answer(stands_still());
  auto now = parts_.clock.now();
  auto view = registry.view(owner);
  if (work.route->ages) {
    const auto as_of = lists_as_of(view->rows, now);
    if (!as_of) return ask_when_aged(std::move(work), parts_.registry, owner, now);
    now = *as_of;
  }
  answer_from(work, std::move(*view), now);
}

// Once it is as new as the registry was, so that anyone who changed something reads that.
void Api::ask_other(Work work, const std::vector<Position>& since) {
  auto& other = *parts_.others.at(work.route->projection);
  const auto& projector = other.projector();
  if (projector.lacks_events()) return work.exchange->answer(stands_still());
  const auto stream = work.stream();
  for (const auto& position : since) {
    if (projector.view(stream, position)) continue;
    return other.when_reached(stream, position, kTimeout, [=, this, &other](bool reached) {
      // What others remove at length holds up no one.
      if (reached || other.projector().view(work.owner(), position)) {
        return from_rows(work.exchange,
                         [&] { ask_other(work, reached ? since : std::vector<Position>()); });
      }
      work.exchange->answer(Error{.code = ErrorCode::kUnavailable,
                                  .message = "What was changed last cannot be told just yet.",
                                  .retry_after_seconds = 1});
    });
  }
  const auto now = parts_.clock.now();
  auto view = projector.view(stream);
  if (work.route->ages && !prices_stand(view->rows, now)) {
    return ask_when_aged(std::move(work), other, stream, now);
  }
  answer_from(work, std::move(*view), now);
}

// Of an earlier time nothing is kept, so there is nothing that an entity tag could name.
void Api::ask_past(Work work) {
  const auto& route = *work.route;
  const auto owner = work.owner();
  const auto at = *work.as_of;
  parts_.as_of->fold(route.projection, owner, at, route.ages,
                     [this, at, work = std::move(work)](Result<RowView> past) {
                       if (!past) return work.exchange->answer(past.error());
                       from_rows(work.exchange, [&] { answer_from(work, std::move(*past), at); });
                     });
}

void Api::answer_from(const Work& work, RowView view, Timestamp now) {
  const auto& exchange = work.exchange;
  const auto& question = std::get<RowQuery>(*work.intent);
  auto answer = question(view.rows, now);
  if (!answer) return exchange->answer(answer.error());
  if (!answer->next) {
    if (work.as_of) {
      std::erase_if(answer->response.headers,
                    [](const auto& header) { return header.first == "ETag"; });
    }
    return exchange->answer(std::move(answer->response));
  }
  if (exchange->request().method == "HEAD") {
    return exchange->stream(std::move(answer->response))->end();
  }
  // The rows of a view that is kept stay where they are.
  const auto kept = std::make_shared<RowView>(std::move(view));
  auto long_answer = question(kept->rows, now);
  if (!long_answer) return exchange->answer(long_answer.error());
  send_piece_by_piece(exchange, kept, std::move(*long_answer));
}

void Api::ask_when_aged(Work work, CommandLoop& loop, const std::string& stream, Timestamp now) {
  loop.when_aged(stream, now, [this, work = std::move(work)](bool aged) {
    if (aged) return ask(work);
    work.exchange->answer(Error{.code = ErrorCode::kUnavailable,
                                .message = "What fell due cannot be listed just now.",
                                .retry_after_seconds = 1});
  });
}

void Api::send_piece_by_piece(const Shared& exchange, const std::shared_ptr<RowView>& view,
                              Answer answer) {
  const bool runs = parts_.streams.run(
      kMostStreams, [this, exchange, view, answer = std::move(answer)]() mutable {
        auto piece = std::exchange(answer.response.body, {});
        const auto body = exchange->stream(std::move(answer.response));
        try {
          bool open = body->write(std::move(piece));
          for (bool more = true; open && more;) {
            std::string following;
            more = answer.next(following);
            open = body->write(std::move(following));
          }
          if (open) body->end();
        } catch (const UnreadableRows& rows) {  // the answer breaks off, and its client can tell
          cannot_read(rows);
        }
      });
  if (runs) return;
  exchange->answer(Error{.code = ErrorCode::kUnavailable,
                         .message = "Too many long answers are under way.",
                         .retry_after_seconds = 1});
}

}  // namespace tilth
