#include "tests/simulation/ledger.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "command/work/due_rules.h"
#include "events/access/erasure.h"
#include "events/finance/exchange_rate.h"
#include "events/log/event_record.h"
#include "events/log/refusal.h"
#include "events/log/streams.h"
#include "events/log/version_gate.h"
#include "projections/rows/row_keys.h"
#include "projections/rows/stored_head.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

constexpr auto kKeyCounts = std::chrono::hours(24);
constexpr auto kForEver = std::numeric_limits<std::int64_t>::max();

// As line() writes an event.
std::string line_of(const Record& record) { return record.envelope.type + " " + record.json; }

// Whether that decision is what its client was told: a refusal, or that nothing changes. A node to
// which it was forwarded may have decided otherwise later.
bool was_told(const Attempt& attempt, const std::string& decided) {
  const auto& result = *attempt.result;
  if (!result) return decided == line(Decision(result.error()));
  return decided == "nothing" || decided.starts_with(RequestAnswered::kType.name);
}

bool has_rows(const Rows& rows) {
  const auto begin = rows.own_key(kRowKey);
  const auto cursor = rows.cursor();
  cursor->seek(begin);
  return cursor->valid() && cursor->key().starts_with(begin);
}

bool is_refusal(std::string_view line) { return line.starts_with("refused: "); }

}  // namespace

// The model of a stream: the rows of its accepted records so far.
struct Ledger::Stream {
  std::string name;
  RowBatch store = {};
  std::uint64_t version = 0;
  std::int64_t newest = -1;      // offset of the last accepted record
  const Record* last = nullptr;  // that record
  std::vector<std::shared_ptr<Attempt>> to_justify = {};
  // By version, these rows with the reference data of then.
  mutable std::map<std::uint64_t, RowBatch> with_reference = {};
  PlainAnswers answers = {};

  Rows rows() const { return {store, name, version}; }
  Rows rows(const std::deque<RowBatch>& reference, std::uint64_t at) const {
    if (at == 0 || name == kReferenceStream) return rows();
    const auto [both, is_new] = with_reference.try_emplace(at);
    if (is_new) both->second.put_all(reference[at].changes());
    both->second.put_over(store);
    return {both->second, name, version};
  }
};

std::shared_ptr<Attempt> Ledger::begin(const CommandRequest& request,
                                       const std::optional<PlainRequest>& asked) {
  const auto& used = request.idempotency;
  const bool is_first = used && keys_.emplace(request.stream, used->key).second;
  auto attempt = std::make_shared<Attempt>(
      Attempt{"request-" + std::to_string(attempts_.size() + 1), request, is_first, asked});
  if (const auto known = newest_known_.find(request.stream); known != newest_known_.end()) {
    attempt->known_before = known->second;
  }
  attempt->reference_known_before = reference_known_;
  attempt->sent_at = world_.wall_clock();
  return attempts_[attempt->request_id] = attempt;
}

Decide Ledger::watched(const std::shared_ptr<Attempt>& attempt) {
  return [attempt](const Rows& rows, const Context& context) {
    auto decision = attempt->request.decide(rows, context);
    attempt->decided.push_back({context, stored_version(rows.reference()), line(decision)});
    if (!decision) attempt->decided.back().refused = decision.error().code;
    return decision;
  };
}

void Ledger::ended(const std::shared_ptr<Attempt>& attempt, const Result<CommandResult>& result) {
  if (attempt->result) world_.violated(attempt->request_id + " was answered twice");
  attempt->result = result;
  if (world_.has(PlantedBug::kReplayShowsNoRow) && result && result->replayed) {
    (*attempt->result)->row.reset();
  }
  world_.note(attempt->request_id + (attempt->asked ? ", " + name_of(*attempt->asked) : "") + ": " +
              (result ? (result->event ? line(Decision(*result->event)) : std::string("nothing"))
                      : result.error().message) +
              (attempt->request.idempotency ? " (" + attempt->request.idempotency->key + ")" : ""));
  attempt->ended_at = world_.wall_clock();
  attempt->end_after = topic_.end(log_.partition_of(attempt->request.stream));
  if (!result) {
    if (result.error().code == ErrorCode::kUnavailable) ++unavailable_;
    return;
  }
  ++known_;
  if (!result->position) return;
  auto& newest = newest_known_.try_emplace(attempt->request.stream, -1).first->second;
  newest = std::max(newest, result->position->offset);
  if (attempt->request.stream != kReferenceStream) return;
  reference_known_ =
      std::max(reference_known_, version_at(attempt->request.stream, *result->position));
}

// As long as nothing is lost, that is how many of its records count up to there.
std::uint64_t Ledger::version_at(const std::string& stream, const Position& position) const {
  VersionGate gate;
  for (const auto& logged : topic_.records(position.partition)) {
    if (logged.position.offset <= position.offset) gate.admit(*logged.record);
  }
  return gate.version(stream);
}

// With what the client sent, whatever became of it, and with no older reference data than that.
std::string Ledger::decided_again(const Attempt& attempt, const Attempt::Decided& decided,
                                  std::uint64_t least_reference, const Stream& stream) const {
  auto context = decided.context;
  context.if_match = attempt.request.if_match;
  context.farm_limit = attempt.request.farm_limit;
  context.rule_tasks_a_day = rule_tasks_a_day_;
  const auto reference = std::max(decided.reference, least_reference);
  if (reference >= reference_.size()) return "there was no such reference data";
  return line(attempt.request.decide(stream.rows(reference_, reference), context));
}

// Whether that is what falls due then, with any reference data.
bool Ledger::was_due(const Record& record, const Stream& stream) const {
  for (auto reference = reference_.size(); reference-- > 0;) {
    const auto due =
        decide_due(stream.rows(reference_, reference), record.envelope.time, rule_tasks_a_day_);
    if (line(due) == line_of(record)) return true;
  }
  return false;
}

PlainRules& Ledger::rules_of(const std::string& stream) {
  return expected_.rules.try_emplace(stream, rule_tasks_a_day_).first->second;
}

void Ledger::fold_reference() {
  const std::string name(kReferenceStream);
  VersionGate gate;
  for (const auto& logged : topic_.records(log_.partition_of(name))) {
    if (!gate.admit(*logged.record) || logged.record->stream != name) continue;
    const auto event = read_event(*logged.record);
    if (!event) return world_.violated("A record cannot be read: " + event.error().message);
    reference_.emplace_back();
    reference_.back().put_all((reference_.end() - 2)->changes());
    fold(reference_.back(), name, *event);
    library_.take(*logged.record);
  }
}

// A refusal that is no record, or no change: only a read of the rows tells whether it was right.
bool Ledger::needs_justification(const Attempt& attempt) {
  if (!attempt.result || attempt.decided.empty()) return false;
  const auto& result = *attempt.result;
  if (!result) {
    const auto& error = result.error();
    // Of its key, which another node may have used meanwhile. Other refusals with one are records.
    const bool of_key = error.code == ErrorCode::kConflict && attempt.request.idempotency;
    if (error.code == ErrorCode::kRateLimited) return true;
    return error.code != ErrorCode::kUnavailable && error.retry_after_seconds == 0 && !of_key;
  }
  return !result->event && !result->replayed;
}

void Ledger::check() {
  fold_reference();
  for (int partition = 0; partition < topic_.partitions(); ++partition) check_partition(partition);
  for (const auto& [id, attempt] : attempts_) {
    if (attempt->sent) check_result(*attempt);
  }
  for (const auto& [key, times] : by_key_) {
    for (std::size_t at = 1; at < times.size(); ++at) {
      if (times[at].at - times[at - 1].at >= kKeyCounts) continue;
      world_.violated("The key " + std::get<1>(key) + " took effect twice");
    }
  }
}

void Ledger::check_partition(int partition) {
  std::map<std::string, Stream> streams;
  for (const auto& [id, attempt] : attempts_) {
    const auto& name = attempt->request.stream;
    if (log_.partition_of(name) != partition) continue;
    rules_of(name);
    auto& stream = streams.try_emplace(name, Stream{name}).first->second;
    if (needs_justification(*attempt)) stream.to_justify.push_back(attempt);
    stream.answers.add(attempt);
  }
  VersionGate gate;
  for (const auto& logged : topic_.records(partition)) {
    const auto& name = logged.record->stream;
    const bool counts = gate.admit(*logged.record);
    if (counts != rules_of(name).counts(*logged.record)) {
      world_.violated("It is not agreed whether record " + std::to_string(logged.position.offset) +
                      " of partition " + std::to_string(partition) + " counts");
    }
    if (!counts) continue;
    ++records_;
    take(streams.try_emplace(name, Stream{name}).first->second, logged);
  }
  for (auto& [name, stream] : streams) {
    justify(stream, stream.newest, kForEver);
    judge_answers(stream, kForEver);
    if (const auto wrong = rules_of(name).records().check(stream.rows()); !wrong.empty()) {
      world_.violated("At the end of " + name + " " + wrong);
    }
    expected_.rows.emplace(name, std::move(stream.store));
  }
}

// The record counts.
void Ledger::take(Stream& stream, const LoggedRecord& logged) {
  const auto& [partition, offset] = logged.position;
  const auto& record = *logged.record;
  auto& rules = rules_of(stream.name);
  justify(stream, stream.newest, offset);
  judge_answers(stream, offset);
  check_record(stream, logged);
  accepted_[{partition, offset}] = &record;
  const auto event = read_event(record);
  if (!event) return world_.violated("A record cannot be read: " + event.error().message);
  const auto asked = attempts_.find(record.envelope.correlation_id);
  const auto* attempt = asked == attempts_.end() ? nullptr : asked->second.get();
  const auto after_it = [&](const std::string& wrong) {
    if (wrong.empty()) return;
    world_.violated("After record " + std::to_string(offset) + " of partition " +
                    std::to_string(partition) + " " + wrong);
  };
  after_it(rules.take(record, *event, attempt, stream.rows(), library_));
  fold(stream.store, stream.name, *event, stream.version);
  ++stream.version;
  stream.newest = offset;
  stream.last = &record;
  if (const auto* imported = event->get_if<ExchangeRatesImported>()) {
    expected_.rates.take(*imported);
  }
  after_it(rules.records().check_last(stream.rows()));
  if (event->is<RecordsErased>() && has_rows(stream.rows())) after_it("the owner has rows left");
}

void Ledger::judge_answers(Stream& stream, std::int64_t before) {
  const auto wrong =
      stream.answers.judge(before, stream.newest, stream.last, rules_of(stream.name).records());
  if (!wrong.empty()) world_.violated(wrong);
}

// Whether a refusal, or that nothing changes, follows from these rows, from reference data that was
// not old when it was sent, and from the plain rules.
bool Ledger::is_right(const Attempt& attempt, const Attempt::Decided& decided,
                      const Stream& stream) const {
  if (decided_again(attempt, decided, attempt.reference_known_before, stream) != decided.line) {
    return false;
  }
  return is_plain(attempt, decided, stream);
}

// The same from the plain rules alone.
bool Ledger::is_plain(const Attempt& attempt, const Attempt::Decided& decided,
                      const Stream& stream) const {
  if (!attempt.asked) return true;
  const auto& rules = expected_.rules.at(stream.name);
  auto state = state_of(*attempt.asked, attempt.request, rules.records(), stream.rows(),
                        decided.context.now, library_);
  state.occurrences = &rules.occurrences();
  return decided.refused ? may_be_refused(*attempt.asked, state, *decided.refused)
                         : may_change_nothing(*attempt.asked, state);
}

// The stream's rows are as they were from the record at `from` on and before that at `to`.
void Ledger::justify(const Stream& stream, std::int64_t from, std::int64_t to) {
  for (const auto& attempt : stream.to_justify) {
    const bool in_time = attempt->known_before < to && from < attempt->end_after;
    if (attempt->justified || !in_time) continue;
    attempt->justified = std::ranges::any_of(attempt->decided, [&](const Attempt::Decided& each) {
      return was_told(*attempt, each.line) && is_right(*attempt, each, stream);
    });
  }
}

void Ledger::check_record(Stream& stream, const LoggedRecord& logged) {
  const auto& record = *logged.record;
  const auto& envelope = record.envelope;
  const auto wrong = [&](const std::string& what) {
    world_.violated("Record " + std::to_string(logged.position.offset) + " of partition " +
                    std::to_string(logged.position.partition) + ", " + envelope.type + " for " +
                    envelope.correlation_id + ": " + what);
  };
  if (is_of_a_visit(record)) {
    if (!was_due(record, stream)) wrong("that was not due");
    return;
  }
  const auto found = attempts_.find(envelope.correlation_id);
  if (found == attempts_.end()) return wrong("no one asked for it");
  auto& attempt = *found->second;
  if (const auto what = wrong_in_envelope(record, attempt); !what.empty()) wrong(what);
  if (envelope.actor == kClockActor) {
    if (!was_due(record, stream)) wrong("that was not due");
    return;
  }
  if (const auto due = decide_due(stream.rows(), envelope.time, rule_tasks_a_day_)) {
    wrong("something was due before it: " + line(due));
  }
  attempt.record = &record;
  if (++attempt.accepted > 1) wrong("it happened before");
  if (const auto& idempotency = attempt.request.idempotency) {
    const auto erasures = rules_of(record.stream).erased().size();
    by_key_[{record.stream, idempotency->key, erasures}].push_back(envelope.time);
  }
  if (!attempt.sent) wrong("it was never sent");
  const bool refused = envelope.type == RequestRefused::kType.name;
  const bool nothing = envelope.type == RequestAnswered::kType.name;
  const bool follows = std::ranges::any_of(attempt.decided, [&](const Attempt::Decided& each) {
    const bool same = refused   ? is_refusal(each.line)
                      : nothing ? each.line == "nothing" || each.line == line_of(record)
                                : each.line == line_of(record);
    if (each.context.now != envelope.time) return false;
    if (same && refused) return is_right(attempt, each, stream);
    if (!same) return false;
    if (envelope.type == RecordsErased::kType.name && has_used_keys(record.stream)) return true;
    if (decided_again(attempt, each, 0, stream) != each.line) return false;
    return !nothing || is_plain(attempt, each, stream);
  });
  if (!follows) wrong("its stream's rows at that version do not lead to it");
  if (envelope.type == RecordsErased::kType.name) {
    expected_.erased_at[record.stream] = logged.position.offset;
  }
}

// Since it was erased last. The model of a stream does not remember requests, which are erased,
// too.
bool Ledger::has_used_keys(const std::string& stream) {
  const auto erasures = rules_of(stream).erased().size();
  return std::ranges::any_of(by_key_, [&](const auto& each) {
    const auto& [of, key, erased] = each.first;
    return of == stream && erased == erasures;
  });
}

void Ledger::check_result(const Attempt& attempt) {
  const auto wrong = [&](const std::string& what) {
    world_.violated(attempt.request_id + ": " + what);
  };
  if (!attempt.result) return wrong("it was never answered");
  const auto& result = *attempt.result;
  if (needs_justification(attempt) && attempt.accepted == 0 && !attempt.justified) {
    wrong("no state that it can have been about leads to \"" + attempt.decided.back().line + "\"");
  }
  if (const auto what = wrong_in_result(attempt); !what.empty()) wrong(what);
  if (!result) {
    const bool unknown = result.error().code == ErrorCode::kUnavailable;
    const bool stored = attempt.request.idempotency.has_value();
    if (!unknown && !stored && attempt.accepted > 0) wrong("it was refused, and happened");
    // What is refused for anything else leaves a record under its key.
    const bool for_its_key =
        stored && attempt.accepted == 0 && result.error().code == ErrorCode::kConflict;
    if (for_its_key && attempt.is_first_with_its_key) {
      wrong("it was refused for a key that its owner had not used");
    }
    if (unknown && result.error().message.find("not begun") != std::string::npos &&
        attempt.accepted > 0) {
      wrong("it was said not to have begun, and happened");
    }
    return;
  }
  if (result->position && result->position->offset >= attempt.end_after) {
    wrong("it names a position that the log has not reached");
  }
  if (!result->event && !result->replayed) return;
  const auto at = result->position
                      ? std::pair(result->position->partition, result->position->offset)
                      : std::pair(-1, std::int64_t{-1});
  const auto found = accepted_.find(at);
  if (found == accepted_.end()) return wrong("it was acknowledged, and is not in the log");
  const auto& envelope = found->second->envelope;
  if (result->replayed) {
    if (found->second->stream != attempt.request.stream || !envelope.idempotency ||
        envelope.idempotency != attempt.request.idempotency) {
      wrong("the result of another request was replayed");
    }
    if (envelope.time.at + kKeyCounts <= attempt.sent_at.at) {
      wrong("a result was replayed whose key no longer counted");
    }
    if (result->refusal.has_value() != (envelope.type == RequestRefused::kType.name)) {
      wrong("it was replayed otherwise than it ended");
    }
  } else if (envelope.correlation_id != attempt.request_id ||
             line_of(*found->second) != line(Decision(*result->event))) {
    wrong("the log has another event where it was acknowledged");
  }
}

void Ledger::was_read(const std::string& stream, const Position& since, std::uint64_t version) {
  const auto shown = version_at(stream, since);
  if (version >= shown) return;
  world_.violated("A read of " + stream + " found version " + std::to_string(version) +
                  ", after version " + std::to_string(shown) + " was shown");
}

}  // namespace tilth::testing
