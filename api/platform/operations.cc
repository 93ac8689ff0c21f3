#include "api/platform/operations.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/http/conditional.h"
#include "api/http/refusal.h"
#include "api/platform/as_of.h"
#include "api/platform/busy.h"
#include "api/platform/forwarding.h"
#include "api/platform/idempotency.h"
#include "api/platform/metered_rows.h"
#include "api/platform/read_point.h"
#include "api/v1/history/own_history.h"
#include "projections/market/market.h"
#include "projections/work/overdue.h"

namespace tilth {
namespace {

// Up to these sizes a body is read in less than a millisecond.
constexpr std::size_t kLargeBody = 8 << 10, kLargeGeometry = 1 << 10;
constexpr FairPlaces::Limits kLongAnswers{.all = 64, .per_owner = 8, .few = 2};
// Of requests that wait for Tilth-Min-Position: each is looked at whenever more of the log is read.
constexpr FairPlaces::Limits kWaits{.all = 4'096, .per_owner = 512, .few = 64};

// The loop may keep it until it is destroyed, if it stops meanwhile.
struct WaitingPlace {
  std::shared_ptr<FairPlaces> of;
  FairPlaces::Place taken;
};

// The error of a header, together with the issues of the query; but invalid ids hide everything
// else.
Error with_issues_of(const Result<Intent>& intent, Error of_header) {
  if (intent) return of_header;
  if (intent.error().code != ErrorCode::kInvalid) return intent.error();
  of_header.issues.insert(intent.error().issues.begin(), intent.error().issues.end());
  return of_header;
}

// The same for queries that cost about the same: of one owner and route, and with about the same
// filters.
std::uint64_t hash_of(const Route& route, const Call& call) {
  constexpr std::string_view kOfPages[] = {"page", "limit", "sort", "order"};
  std::uint64_t filters = 0, paged = 0;
  for (const auto& [name, value] : call.query) {
    if (std::find(std::begin(kOfPages), std::end(kOfPages), name) == std::end(kOfPages)) ++filters;
    if (name == "page" || name == "limit") paged = 1;
  }
  const auto owner = std::hash<std::string_view>{}(call.user_id());
  const auto path = std::hash<std::string_view>{}(route.pattern);
  const auto all = owner ^ (path * 31 + std::min<std::uint64_t>(filters, 2) * 7 + paged);
  return all == 0 ? 1 : all;
}

// A list that is longer than one response.
class LongAnswer final : public PieceSource {
 public:
  using NextRows = std::function<bool(const Rows& rows, std::string& piece)>;

  LongAnswer(RowView view, std::string beginning, NextRows next_rows, const RowFaults& row_faults)
      : view_(std::move(view)),
        beginning_(std::move(beginning)),
        next_rows_(std::move(next_rows)),
        row_faults_(row_faults) {}

  Next next(std::string& piece, WorkToken& token) override {
    if (!beginning_.empty()) {
      piece = std::exchange(beginning_, {});
      return Next::kMore;
    }
    RowMeter meter(token);
    const MeteredRows rows(*view_.state, meter);
    try {
      return next_rows_(view_.rows.read_through(rows), piece) ? Next::kMore : Next::kEnd;
    } catch (const UnreadableRows& unreadable) {
      row_faults_.report(unreadable);
    } catch (const QueryCancelled&) {
    }
    return Next::kBreak;
  }

 private:
  const RowView view_;
  std::string beginning_;
  const NextRows next_rows_;
  const RowFaults& row_faults_;
};

// Of the projection's only cell.
Intent of_one_cell(std::shared_ptr<JointQuestion> question) {
  return RowQuery(
      [question = std::move(question)](const Rows& rows, Timestamp) -> Result<QueryResult> {
        constexpr int kRounds = 2;  // the second one says everything exactly
        for (int round = 0; round < kRounds; ++round) {
          auto part = question->part(rows, question->ask(0, 1));
          if (!part) return part.error();
          auto response = question->join({std::move(*part)}, rows);
          if (!response) return response.error();
          if (*response) return QueryResult(std::move(**response));
        }
        return busy("These rows cannot be added up.");
      });
}

}  // namespace

Operations::Operations(Settings settings, Parts parts)
    : settings_(std::move(settings)),
      parts_(std::move(parts)),
      long_answers_(kLongAnswers),
      waits_(std::make_shared<FairPlaces>(kWaits)),
      joint_(
          {parts_.registry, parts_.row_faults, parts_.clock, parts_.executor, parts_.forwarding}) {}

// Whether 10,000 positions are a valid polygon may take 50 ms to check, which would keep other
// clients of a server thread waiting.
void Operations::carry_out(const Route& route, const Operation& operation, Call call) {
  const auto large = operation.takes_geometry ? kLargeGeometry : kLargeBody;
  if (call.request().body.size() <= large) return read(route, operation, std::move(call));
  const auto posted = parts_.executor.post(
      {.owner = call.user_id(),
       .kind = WorkKind::kBody,
       .run =
           [this, &route, &operation, call](WorkToken& token) {
             if (!token.go_on()) return call.answer(token.error());
             parts_.row_faults.guard(call.exchange, [&] { read(route, operation, call); });
           },
       .abandoned = [exchange = call.exchange] { return exchange->abandoned(); }});
  if (!posted) call.answer(posted.error());
}

void Operations::carry_out_here(const Route& route, const Operation& operation, Call call) {
  const auto exchange = call.exchange;
  parts_.row_faults.guard(exchange, [&] { read(route, operation, std::move(call)); });
}

void Operations::read(const Route& route, const Operation& operation, Call call) {
  const auto& request = call.request();
  const bool mutates = route.method != "GET";
  if (!(mutates ? settings_.commands : settings_.queries)) {
    if (call.forwarded) return call.answer(Forwarding::not_here());  // another holder may have it
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
  if (intent && operation.is_joint) {
    auto question = std::get<std::shared_ptr<JointQuestion>>(*intent);
    auto* cells = parts_.others.at(operation.projection);
    if (joint_.has_to_join(*cells)) {
      const bool of_a_node = call.forwarded && Forwarding::asks_for_parts(request);
      JointQueries::Asked asked{std::move(call), std::move(question), cells,
                                std::string(operation.stream), *since};
      return of_a_node ? joint_.answer_parts(std::move(asked)) : joint_.answer(std::move(asked));
    }
    intent = of_one_cell(std::move(question));
  }
  Work work{std::move(call), &route, &operation, std::move(intent), *idempotency, *as_of};
  if (!*since || parts_.registry.has_reached(work.owner(), **since)) {
    return begin(std::move(work));
  }
  const auto owner = work.owner();
  WaitingPlace place{waits_, waits_->take(owner)};
  if (!place.taken) return work.call.answer(busy("Too many requests wait for Tilth-Min-Position."));
  parts_.registry.when_reached(
      owner, **since, kTimeout,
      [this, work = std::move(work), place = std::move(place)](bool reached) mutable {
        place.taken.reset();
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
  const auto& projector = parts_.registry.of(work.owner()).projector();
  if (projector.is_halted()) return call.answer(cannot_decide(projector));
  CommandRequest command{.stream = work.owner(),
                         .actor = call.actor(),
                         .request_id = call.exchange->request_id(),
                         .traceparent = call.exchange->traceparent(),
                         .idempotency = work.idempotency,
                         .decide = {},
                         .farm_limit = settings_.plan(call.plan()).farms,
                         .times = call.exchange->command_times()};
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
  if (call.may_proceed) {
    command.decide = [may_proceed = call.may_proceed, decide = std::move(command.decide)](
                         const Rows& rows, const Context& context) -> Decision {
      if (auto proceeds = may_proceed(); !proceeds) return proceeds.error();
      return decide(rows, context);
    };
  }
  const auto if_match = call.request().joined("if-match");
  if (if_match && work.route->method != "POST") {
    command.if_match = read_entity_tags(*if_match);
  }
  parts_.changes.carry_out(
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
  const auto& registry = parts_.registry;
  const auto since =
      of_all ? registry.read_so_far() : registry.of(work.owner()).read_so_far(work.owner());
  query_other(std::move(work), since);
}

void Operations::query_registry(Work work) {
  const auto& owner = work.owner();
  auto& loop = parts_.registry.of(owner);
  if (loop.projector().lacks_events()) return work.call.answer(read_model_lags());
  auto now = parts_.clock.now();
  auto view = loop.projector().view(owner);
  if (work.operation->ages) {
    const auto as_of = lists_as_of(view->rows, now);
    if (!as_of) return query_when_aged(work, loop, owner, now);
    now = *as_of;
  }
  answer_from(work, std::move(*view), now);
}

// Waits until it is as recent as the registry was, so that clients read their own writes.
void Operations::query_other(Work work, const std::vector<Position>& since) {
  auto& other = parts_.others.at(work.operation->projection)->of(work.stream());
  const auto& projector = other.projector();
  if (projector.lacks_events()) return work.call.answer(read_model_lags());
  const auto stream = work.stream();
  for (const auto& position : since) {
    if (projector.view(stream, position)) continue;
    return other.when_reached(stream, position, kTimeout, [=, this, &other](bool reached) {
      // Another owner's long removal must not delay this query.
      const auto is_recent = [&] {
        return std::ranges::all_of(since, [&](const auto& each) {
          return other.projector().view(work.owner(), each).has_value();
        });
      };
      if (reached || is_recent()) {
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
  const auto exchange = work.call.exchange;
  AsOf::Question question{.projection = work.operation->projection,
                          .owner = work.owner(),
                          .at = *work.as_of,
                          .aged = work.operation->ages,
                          .abandoned = [exchange] { return exchange->abandoned(); }};
  const auto posted = parts_.as_of->fold(
      std::move(question), [this, work = std::move(work)](Result<RowView> past, WorkToken& token) {
        if (!past) return work.call.answer(past.error());
        answer_under(token, work, *past, *work.as_of);
      });
  if (!posted) exchange->answer(posted.error());
}

void Operations::answer_from(const Work& work, const RowView& view, Timestamp now) {
  const auto hash = hash_of(*work.route, work.call);
  if (!work.operation->is_long && !expensive_.contains(hash)) {
    RowMeter meter;
    try {
      return answer_from(work, view, now, meter);
    } catch (const RowBudgetSpent&) {
      expensive_.insert(hash);
    }
  }
  answer_later(work, view, now, hash);
}

void Operations::answer_later(const Work& work, const RowView& view, Timestamp now,
                              std::uint64_t hash) {
  const auto exchange = work.call.exchange;
  const auto posted =
      parts_.executor.post({.owner = work.owner(),
                            .kind = WorkKind::kQuery,
                            .run =
                                [this, work, view, now, hash](WorkToken& token) {
                                  if (!token.go_on()) return work.call.answer(token.error());
                                  const auto steps = answer_under(token, work, view, now);
                                  if (steps <= RowMeter::kStepsAtOnce) expensive_.erase(hash);
                                },
                            .abandoned = [exchange] { return exchange->abandoned(); }});
  if (!posted) exchange->answer(posted.error());
}

// Returns the steps that it took.
std::size_t Operations::answer_under(WorkToken& token, const Work& work, const RowView& view,
                                     Timestamp now) {
  RowMeter meter(token);
  parts_.row_faults.guard(work.call.exchange, [&] {
    try {
      answer_from(work, view, now, meter);
    } catch (const QueryCancelled&) {
      work.call.answer(token.error());
    } catch (const PastNotWanted&) {
      work.call.answer(token.error());
    }
  });
  return meter.spent();
}

// Throws what the meter does, before there is a response.
void Operations::answer_from(const Work& work, const RowView& view, Timestamp now,
                             RowMeter& meter) {
  const auto& call = work.call;
  const MeteredRows rows(*view.state, meter);
  auto answer = std::get<RowQuery>(*work.intent)(view.rows.read_through(rows), now);
  if (!answer) return call.answer(answer.error());
  if (answer->next) return send_piece_by_piece(work, view, std::move(*answer));
  if (work.as_of) {
    std::erase_if(answer->response.headers,
                  [](const auto& header) { return header.first == "ETag"; });
  }
  call.answer(std::move(answer->response));
}

void Operations::send_piece_by_piece(const Work& work, RowView view, QueryResult answer) {
  auto& exchange = *work.call.exchange;
  if (exchange.request().method == "HEAD") {
    return exchange.stream(std::move(answer.response))->end();
  }
  auto place = long_answers_.take(work.owner());
  if (!place) return exchange.answer(busy("Too many long responses are under way."));
  auto beginning = std::exchange(answer.response.body, {});
  auto body = exchange.stream(std::move(answer.response));
  parts_.streams.send(work.owner(), std::move(body),
                      std::make_unique<LongAnswer>(std::move(view), std::move(beginning),
                                                   std::move(answer.next), parts_.row_faults),
                      std::move(place));
}

}  // namespace tilth
