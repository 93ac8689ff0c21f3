#include "api/operator/commands.h"

#include <utility>

#include "api/http/refusal.h"

namespace tilth {
namespace {

// What a halted projection lacks, it tells itself.
bool is_catching_up(const OperatorStream& of) {
  return of.ready && !of.ready() && of.projector.progress().state == ProjectionState::kCatchingUp;
}

}  // namespace

OperatorStream access_stream(const OperatorParts& parts) {
  return {parts.access, parts.access.projector(), kAccessStream, parts.commands, {}, parts.ready};
}

OperatorStream reference_stream(const OperatorParts& parts) {
  return {parts.registry,   parts.registry.of(kReferenceStream).projector(),
          kReferenceStream, parts.commands,
          parts.run_due,    parts.ready};
}

void carry_out(OperatorStream on, Call call, Decide decide, ShownRow shown,
               std::function<HttpResponse(const CommandResult&)> show, AccessLease* lease) {
  if (!on.written_here) {
    return call.answer(lacks_role("command"));
  }
  CommandRequest request{.stream = std::string(on.name),
                         .actor = call.actor(),
                         .request_id = call.exchange->request_id(),
                         .traceparent = call.exchange->traceparent(),
                         .decide = std::move(decide),
                         .shown_table = std::string(shown.table),
                         .shown_id = shown.id};
  on.commands.carry_out(
      std::move(request), [exchange = call.exchange, show = std::move(show), lease,
                           run_due = on.run_due](const Result<CommandResult>& outcome) {
        AccessLease::when_all_know(lease, [exchange, show, run_due, outcome](bool know) {
          if (!outcome) return exchange->answer(outcome.error());
          if (!know) return exchange->answer(AccessLease::expired());
          if (!run_due || !outcome->event) return exchange->answer(show(*outcome));
          run_due([exchange, show, outcome](const Status&) { exchange->answer(show(*outcome)); });
        });
      });
}

Status has_whole_rows(const OperatorStream& of) {
  if (is_catching_up(of)) return not_ready();
  if (of.projector.lacks_events()) return read_model_lags();
  return kDone;
}

void answer_from(OperatorStream of, const Call& call,
                 const std::function<Result<HttpResponse>(const Rows&)>& question) {
  if (const auto whole = has_whole_rows(of); !whole) return call.answer(whole.error());
  const auto view = of.projector.view(std::string(of.name));
  auto answer = question(view->rows);
  answer ? call.answer(std::move(*answer)) : call.answer(answer.error());
}

void run_aside(const OperatorParts& parts, const Call& call, std::function<void()> work) {
  if (parts.streams->run(kMostStreams, [&parts, call, work = std::move(work)] {
        parts.row_faults.guard(call.exchange, work);
      })) {
    return;
  }
  call.answer(Error{.code = ErrorCode::kUnavailable,
                    .message = "Too many long responses are under way.",
                    .retry_after_seconds = 5});
}

Error invalid(Issues issues) {
  return {ErrorCode::kInvalid, "The request is not valid.", std::move(issues)};
}

}  // namespace tilth
