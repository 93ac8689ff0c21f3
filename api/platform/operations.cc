#include "api/platform/operations.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/http/conditional.h"
#include "api/http/refusal.h"
#include "api/platform/as_of.h"
#include "api/platform/idempotency.h"
#include "api/platform/read_point.h"
#include "api/v1/history/own_history.h"
#include "projections/market/market.h"
#include "projections/work/overdue.h"

namespace tilth {
namespace {

constexpr std::size_t kLargeBody = 8 << 10;                              // about 1,000 positions
constexpr std::size_t kReadersOfLarge = 2, kMostLargeWaiting = 100'000;  // connections are fewer
constexpr int kMostStreams = 32;

Error busy(const char* message) {
  return {.code = ErrorCode::kUnavailable, .message = message, .retry_after_seconds = 1};
}

// The error of a header, together with the issues of the query; but invalid ids hide everything
// else.
Error with_issues_of(const Result<Intent>& intent, Error of_header) {
  if (intent) return of_header;
  if (intent.error().code != ErrorCode::kInvalid) return intent.error();
  of_header.issues.insert(intent.error().issues.begin(), intent.error().issues.end());
  return of_header;
}

// The last record read of each partition, of any owner.
std::vector<Position> read_of_all(const Projector& projector) {
  std::vector<Position> read;
  for (const auto& [partition, offset] : projector.progress().next) {
    if (offset > 0) read.push_back({partition, offset - 1});
  }
  return read;
}

}  // namespace

Operations::Operations(Settings settings, Parts parts)
    : settings_(std::move(settings)),
      parts_(std::move(parts)),
      large_bodies_(kReadersOfLarge, kMostLargeWaiting) {}

// Checking whether 10,000 positions are a valid polygon may take 50 ms, which would keep other
// clients of a server thread waiting.
void Operations::carry_out(const Route& route, const Operation& operation, Call call) {
  if (call.request().body.size() <= kLargeBody) return read(route, operation, std::move(call));
  const bool taken = large_bodies_.post([this, &route, &operation, call] {
    parts_.row_faults.guard(call.exchange, [&] { read(route, operation, call); });
  });
  if (!taken) call.answer(busy("Too many large requests are under way."));
}

void Operations::read(const Route& route, const Operation& operation, Call call) {
  const auto& request = call.request();
  const bool mutates = route.method != "GET";
  if (!(mutates ? settings_.commands : settings_.queries)) {
    return call.answer(lacks_role(mutates ? "command" : "query"));
  }
  const auto since = min_position(request);
  if (!since) return call.answer(since.error());
  const auto as_of = mutates ? Result<std::optional<Timestamp>>(std::optional<Timestamp>())
                             : earlier_time(request, operation, call.now);
  const auto idempotency = mutates
                               ? read_idempotency(request)
                               : Result<std::optional<Idempotency>>(std::optional<Idempotency>());
  if (!idempotency) return call.answer(idempotency.error());

  auto intent = operation.read(call);
  if (!as_of) return call.answer(with_issues_of(intent, as_of.error()));
  if (!intent && !*idempotency) return call.answer(intent.error());
  Work work{std::move(call), &route, &operation, std::move(intent), *idempotency, *as_of};
  if (!*since || parts_.registry.projector().view(work.owner(), **since)) {
    return begin(std::move(work));
  }
  const auto owner = work.owner();
  parts_.registry.when_reached(
      owner, **since, kTimeout, [this, work = std::move(work)](bool reached) {
        if (reached) return parts_.row_faults.guard(work.call.exchange, [&] { begin(work); });
        work.call.answer(busy("This node has not read up to Tilth-Min-Position yet."));
      });
}

void Operations::begin(Work work) {
  if (!work.intent || std::holds_alternative<Mutation>(*work.intent)) {
    return command(std::move(work));
  }
  using OfHistory = std::shared_ptr<const HistoryQuery>;
  if (const auto* of_history = std::get_if<OfHistory>(&*work.intent)) {
    return parts_.own_history->answer(work.call.exchange, work.owner(), *of_history);
  }
  work.as_of ? query_past(std::move(work)) : query(std::move(work));
}

void Operations::command(Work work) {
  const auto& call = work.call;
  if (parts_.registry.projector().is_halted()) return call.answer(read_model_lags());
  CommandRequest command{.stream = work.owner(),
                         .actor = call.actor(),
                         .request_id = call.exchange->request_id(),
                         .idempotency = work.idempotency,
                         .decide = {},
                         .farm_limit = settings_.plan(call.plan()).farms};
  auto& intent = work.intent;
  if (intent) {
    auto& mutation = std::get<Mutation>(*intent);
    command.decide =
        within_quota(work.owner(), settings_.plan(call.plan()), std::move(mutation.decide));
    command.shown_table = mutation.shown_table;
    command.shown_id = mutation.shown_id;
  } else {
    command.decide = [error = intent.error()](const Rows&, const Context&) -> Decision {
      return error;
    };
  }
  const auto if_match = call.request().joined("if-match");
  if (if_match && work.route->method != "POST") {
    command.if_match = read_entity_tags(*if_match);
  }
  parts_.registry.carry_out(
      std::move(command), [exchange = call.exchange,
                           show = &work.operation->show](const Result<CommandResult>& outcome) {
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

// Many requests may have been admitted at once, but they are decided one after another.
Decide Operations::within_quota(const std::string& owner, const PlanLimits& limits,
                                Decide decide) const {
  if (parts_.bytes == nullptr || !limits.bytes_per_hour) return decide;
  return [bytes = parts_.bytes, owner, limit = limits.bytes_per_hour, decide = std::move(decide)](
             const Rows& rows, const Context& context) -> Decision {
    if (auto within = bytes->check(owner, limit, context.now); !within) return within.error();
    return decide(rows, context);
  };
}

void Operations::query(Work work) {
  if (work.operation->projection == kRegistry) return query_registry(std::move(work));
  const bool of_all = !work.operation->stream.empty();
  const auto since =
      of_all ? read_of_all(parts_.registry.projector()) : parts_.registry.read_so_far(work.owner());
  query_other(std::move(work), since);
}

void Operations::query_registry(Work work) {
  const auto& owner = work.owner();
  const auto& registry = parts_.registry.projector();
  if (registry.lacks_events()) return work.call.answer(read_model_lags());
  auto now = parts_.clock.now();
  auto view = registry.view(owner);
  if (work.operation->ages) {
    const auto as_of = lists_as_of(view->rows, now);
    if (!as_of) return query_when_aged(work, parts_.registry, owner, now);
    now = *as_of;
  }
  answer_from(work, std::move(*view), now);
}

// Waits until it is as recent as the registry was, so that clients read their own writes.
void Operations::query_other(Work work, const std::vector<Position>& since) {
  auto& other = *parts_.others.at(work.operation->projection);
  const auto& projector = other.projector();
  if (projector.lacks_events()) return work.call.answer(read_model_lags());
  const auto stream = work.stream();
  for (const auto& position : since) {
    if (projector.view(stream, position)) continue;
    return other.when_reached(stream, position, kTimeout, [=, this, &other](bool reached) {
      // Another owner's long removal must not delay this query.
      if (reached || other.projector().view(work.owner(), position)) {
        return parts_.row_faults.guard(work.call.exchange, [&] {
          query_other(work, reached ? since : std::vector<Position>());
        });
      }
      work.call.answer(busy("The latest changes cannot be read yet."));
    });
  }
  const auto now = parts_.clock.now();
  auto view = projector.view(stream);
  if (work.operation->ages && !prices_are_current(view->rows, now)) {
    return query_when_aged(std::move(work), other, stream, now);
  }
  answer_from(work, std::move(*view), now);
}

void Operations::query_when_aged(Work work, CommandLoop& loop, const std::string& stream,
                                 Timestamp now) {
  loop.when_aged(stream, now, [this, work = std::move(work)](bool aged) {
    if (aged) return parts_.row_faults.guard(work.call.exchange, [&] { query(work); });
    work.call.answer(busy("What is due cannot be listed at the moment."));
  });
}

// Rows of an earlier time are not stored, so an entity tag has nothing to name.
void Operations::query_past(Work work) {
  const auto& operation = *work.operation;
  const auto owner = work.owner();
  const auto at = *work.as_of;
  parts_.as_of->fold(operation.projection, owner, at, operation.ages,
                     [this, at, work = std::move(work)](Result<RowView> past) {
                       if (!past) return work.call.answer(past.error());
                       parts_.row_faults.guard(work.call.exchange,
                                               [&] { answer_from(work, std::move(*past), at); });
                     });
}

void Operations::answer_from(const Work& work, RowView view, Timestamp now) {
  const auto& call = work.call;
  auto answer = std::get<RowQuery>(*work.intent)(view.rows, now);
  if (!answer) return call.answer(answer.error());
  if (answer->next) return send_piece_by_piece(call, std::move(view), std::move(*answer));
  if (work.as_of) {
    std::erase_if(answer->response.headers,
                  [](const auto& header) { return header.first == "ETag"; });
  }
  call.answer(std::move(answer->response));
}

void Operations::send_piece_by_piece(const Call& call, RowView view, QueryResult answer) {
  if (call.request().method == "HEAD") {
    return call.exchange->stream(std::move(answer.response))->end();
  }
  const auto kept = std::make_shared<const RowView>(std::move(view));
  const bool runs = parts_.streams.run(
      kMostStreams, [this, exchange = call.exchange, kept, answer = std::move(answer)]() mutable {
        auto piece = std::exchange(answer.response.body, {});
        const auto body = exchange->stream(std::move(answer.response));
        try {
          bool open = body->write(std::move(piece));
          for (bool more = true; open && more;) {
            std::string following;
            more = answer.next(kept->rows, following);
            open = body->write(std::move(following));
          }
          if (open) body->end();
        } catch (const UnreadableRows& rows) {  // the response breaks off, and the client can tell
          parts_.row_faults.report(rows);
        }
      });
  if (!runs) call.answer(busy("Too many long answers are under way."));
}

}  // namespace tilth
