#include "tests/simulation/plain_answers.h"

#include <algorithm>
#include <chrono>

#include "events/log/streams.h"
#include "projections/rows/rendered_row.h"
#include "tests/simulation/row_kinds.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kFastest = 1s;  // no node's clock is ahead by so much
constexpr std::string_view kRefused = "tilth.request.refused";
constexpr std::string_view kAnswered = "tilth.request.answered";

bool is(const Record* record, std::string_view type) {
  return record != nullptr && record->envelope.type == type;
}

// completions.md, "Idempotency-Key", by what docs/api.md calls their codes.
bool is_kept_under_a_key(ErrorCode code) {
  switch (code) {
    using enum ErrorCode;
    case kInvalid:
    case kInvalidId:
    case kNotFound:
    case kPreconditionFailed:
    case kPlanLimitExceeded:
    case kConflict:
      return true;
    default:
      return false;
  }
}

// Whether a refusal says the same as the event that keeps it.
bool says(const Record& record, std::string_view code, const std::string& message) {
  const auto event = parse_json(record.json);
  return event && event->find("code")->text == code && event->find("message")->text == message;
}

std::string wrong_in_refusal(const Attempt& attempt, const Error& error) {
  const auto* record = attempt.record;
  if (error.code == ErrorCode::kUnavailable || error.retry_after_seconds > 0) return {};
  const bool has_key = attempt.request.idempotency.has_value();
  const bool for_its_key = has_key && record == nullptr && error.code == ErrorCode::kConflict;
  if (for_its_key) return {};
  if (!has_key || !is_kept_under_a_key(error.code)) {
    return record == nullptr ? "" : "its refusal left a record";
  }
  if (!is(record, kRefused)) return "its refusal is not kept under its key";
  return says(*record, name_of(error.code), error.message)
             ? ""
             : "another refusal is kept under its key";
}

// The row that a result shows, at a time.
std::string wrong_in_row(const RowBytes& row, Timestamp at, const PlainRecords& records) {
  if (auto wrong = records.check_row(row); !wrong.empty()) return wrong;
  if (row.table != "task") return {};
  const auto task = parse_json(shown_json(row, at));
  const auto& members =
      *records.find({row.table, task->find("id")->text});  // check_row() has found it
  const auto& stored = members.at("status");
  const auto& due = members.at("dueDate");
  const bool open = stored == R"("pending")" || stored == R"("in_progress")";
  const bool overdue = open && due != "null" && unquoted(due) <= at.text();
  const auto expected = overdue ? "overdue" : unquoted(stored);
  return task->find("status")->text == expected ? "" : "a task is not shown as " + expected;
}

// What a result shows, which is to be that record; null: that there is none.
std::string wrong_name(const std::optional<RowBytes>& row,
                       const std::optional<PlainRecords::Name>& name) {
  if (row && stored_json(*row).empty()) return {};  // of a kind that these rules do not follow
  if (name.has_value() != row.has_value()) {
    return row ? "it shows a row that it is not about" : "it shows no row";
  }
  if (!row) return {};
  const auto shown = parse_json(stored_json(*row));
  const bool same = row->table == name->first && (shown && shown->find("id")->text == name->second);
  return same ? "" : "it shows another row than it is about";
}

// Of a result at that record; null: at none of its stream.
std::string wrong_at(const Attempt& attempt, const Record* record, const PlainRecords& records) {
  const auto& request = attempt.request;
  const CommandResult& result = **attempt.result;
  if (!result.event && !result.replayed && !request.idempotency) {
    if (request.shown_id == Uuid{}) return {};
    const PlainRecords::Name name{request.shown_table, request.shown_id.text()};
    return wrong_name(result.row,
                      records.find(name) != nullptr ? std::optional(name) : std::nullopt);
  }
  if (record == nullptr) return "its position is that of no record of its owner";
  if (result.at != record->envelope.time) return "it has another time than its record";
  if (result.replayed && is(record, kRefused)) {
    const auto& refusal = result.refusal;
    if (!refusal || !says(*record, refusal->code, refusal->message)) {
      return "another refusal was replayed";
    }
  }
  // The response to a removal has no body, whatever row it has changed besides.
  const bool is_removal = records.named() && !records.about();
  return is_removal ? "" : wrong_name(result.row, records.about());
}

}  // namespace

bool is_of_a_visit(const Record& record) {
  const auto& envelope = record.envelope;
  return envelope.actor == kClockActor && envelope.causation_id == envelope.correlation_id &&
         envelope.causation_id.starts_with(envelope.source + std::string(kTicks)) &&
         !envelope.idempotency && envelope.traceparent.empty();
}

std::string wrong_in_envelope(const Record& record, const Attempt& attempt) {
  const auto& envelope = record.envelope;
  const auto& request = attempt.request;
  const bool by_time = envelope.actor == kClockActor;
  if (record.stream != request.stream) return "it is in another stream than was asked for";
  if (!by_time && envelope.actor != request.actor) return "it has another actor";
  if (envelope.causation_id != attempt.request_id) return "it has another cause";
  if (envelope.traceparent != request.traceparent) return "it has another trace";
  if (!envelope.source.starts_with("node-")) return "it is from no node";
  if (envelope.idempotency != (by_time ? std::nullopt : request.idempotency)) {
    return "it has another Idempotency-Key";
  }
  if (envelope.time < attempt.sent_at) return "it was decided before it was asked for";
  const bool was_told = attempt.result && *attempt.result && (*attempt.result)->event;
  if (was_told && envelope.time.at > attempt.ended_at.at + kFastest) {
    return "it was decided after it was answered";
  }
  return {};
}

std::string wrong_in_result(const Attempt& attempt) {
  const auto& result = *attempt.result;
  if (!result) return wrong_in_refusal(attempt, result.error());
  const auto* record = attempt.record;
  const bool has_key = attempt.request.idempotency.has_value();
  if (result->replayed) return {};
  if (result->event && is(record, kAnswered)) return "that nothing changes is reported as an event";
  if (!result->event && has_key != (record != nullptr)) {
    return has_key ? "that nothing changes is not kept under its key"
                   : "nothing changed, and it left a record";
  }
  if (!result->event && has_key && !is(record, kAnswered)) return "it was told otherwise";
  return {};
}

void PlainAnswers::add(const std::shared_ptr<const Attempt>& attempt) {
  const auto& result = attempt->result;
  if (!result || !*result || !(*result)->position) return;
  left_.emplace((*result)->position->offset, attempt);
}

std::string PlainAnswers::judge(std::int64_t before, std::int64_t last_offset, const Record* last,
                                const PlainRecords& records) {
  while (!left_.empty() && left_.begin()->first < before) {
    const auto next = left_.extract(left_.begin());
    const auto offset = next.key();
    const auto& attempt = next.mapped();
    auto wrong = wrong_in_shown(**attempt->result, records);
    const bool is_there = last != nullptr && offset == last_offset;
    if (wrong.empty()) wrong = wrong_at(*attempt, is_there ? last : nullptr, records);
    if (!wrong.empty()) return attempt->request_id + ": " + wrong;
  }
  return {};
}

// Whatever it is about.
std::string PlainAnswers::wrong_in_shown(const CommandResult& result, const PlainRecords& records) {
  if (!result.row) return {};
  if (auto wrong = wrong_in_row(*result.row, result.at, records); !wrong.empty()) {
    return "as it is shown, " + wrong;
  }
  const auto json = shown_json(*result.row, result.at);
  const auto [known, is_new] = json_by_tag_.emplace(entity_tag(json), json);
  return known->second == json ? "" : "two states of a row have one ETag";
}

}  // namespace tilth::testing
