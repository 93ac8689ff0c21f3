#include "command/command_loop.h"

#include <algorithm>

#include "command/falls_due.h"
#include "events/known_event.h"
#include "events/reference.h"
#include "events/refusal.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kBeforeTryingAgain = 100ms;
constexpr std::chrono::milliseconds kBeforeLookingAgain = 20ms;

Error stands_still(const Projector& projector) {
  return {
      .code = ErrorCode::kUnavailable,
      .message = projector.unreadable() ? "Nothing can be decided: the records cannot be read."
                 : projector.faulted()
                     ? "Nothing can be decided: the records stand at an event that cannot be read."
                     : "Nothing can be decided: an operator has paused what it is decided on.",
      .retry_after_seconds = 60};
}

}  // namespace

CommandLoop::CommandLoop(EventLog& log, ProjectionStore& store, Projection projection,
                         Sources sources, Limits limits)
    : log_(log),
      sources_(std::move(sources)),
      limits_(limits),
      gathers_(projection.gathers > 0ms),
      projector_(log, store, std::move(projection),
                 [this](const auto& logged, bool accepted, const auto& event, auto row) {
                   on_record(logged, accepted, event, std::move(row));
                 }),
      inbox_(std::make_shared<Inbox>([this] { projector_.wake(); })) {}

CommandLoop::~CommandLoop() {
  inbox_->close();
  give_up();
}

bool CommandLoop::somebody_waits() const {
  return waiting_ > 0 || !waiters_.empty() || !aging_.empty() || !again_.empty();
}

Result<bool> CommandLoop::turn(std::chrono::milliseconds patience) {
  if (!somebody_waits()) inbox_->rest(std::min(patience, projector_.gathers()));
  const bool busy = do_what_came();
  if (!waiters_.empty() || !again_.empty()) patience = std::min(patience, kBeforeLookingAgain);
  const auto came = projector_.await(busy ? 0ms : patience);
  const std::lock_guard turn(turn_);
  const auto read = came ? projector_.follow(0ms) : came.error();
  tell_waiters();
  if (!read) return read.error();
  if (*read) ready_.merge(std::exchange(behind_, {}));
  return busy || *read;
}

// Whether there was anything that wants another turn soon.
bool CommandLoop::do_what_came() {
  const std::lock_guard turn(turn_);
  const auto work = inbox_->take();
  for (const auto& piece : work) piece();
  expire();
  while (!ready_.empty()) {
    const auto stream = ready_.extract(ready_.begin()).value();
    attempt(stream);
  }
  age_rows();
  for (const auto& waiter : waiters_) projector_.hurry(waiter.position);
  return !work.empty() || !aging_.empty();
}

void CommandLoop::attempt(const std::string& stream) {
  try {
    attempt_each(stream);
  } catch (const UnreadableRows& rows) {
    projector_.cannot_read(rows);
    if (jobs_.contains(stream)) answer(stream, stands_still(projector_));
  }
}

void CommandLoop::attempt_each(const std::string& stream) {
  while (true) {
    const auto found = jobs_.find(stream);
    if (found == jobs_.end() || found->second.front().waits) return;
    Job& job = found->second.front();
    if (projector_.stands_still()) {  // what it did could not be told
      end(stream, stands_still(projector_));
      continue;
    }
    if (is_behind(job) || projector_.sweeping(stream)) {  // its rows are not all there
      behind_.insert(stream);
      return;
    }
    const Rows now = projector_.rows(stream);
    const auto time = sources_.now();
    if (let_fall_due(stream, job, now, time)) return;
    if (job.held || !job.request.decide) {
      answer(stream, job.held ? std::move(*job.held) : Outcome{.at = time});
      continue;
    }
    if (job.request.idempotency && replay(stream, job, now, time)) continue;
    const Context context{time, sources_.new_id(), job.request.if_match, job.request.farm_limit};
    auto decision = job.request.decide(now, context);
    if (const auto* answered =
            decision && *decision ? std::get_if<RequestAnswered>(&**decision) : nullptr) {
      job.request.shown_table = answered->table;
      job.request.shown_id = answered->row_id;
      decision = Decision(std::nullopt);
    }
    if (decision && *decision) {
      propose(stream, job, std::move(**decision), time);
    } else if (job.present.empty()) {
      find_the_present(stream, job);  // these rows may be old, and no log would check a refusal
    } else if (!decision) {
      refuse(stream, job, decision.error(), time);
    } else if (job.request.idempotency) {
      job.answers_nothing = true;
      propose(stream, job, RequestAnswered{job.request.shown_table, job.request.shown_id, time},
              time);
    } else {
      const int partition = log_.partition_of(stream);
      answer(stream, Outcome{.row = now.find_bytes(job.request.shown_table, job.request.shown_id),
                             .at = time,
                             .position = Position{partition, projector_.next(partition) - 1}});
    }
  }
}

// Whether something happens by itself first, of which the verdict is awaited now.
bool CommandLoop::let_fall_due(const std::string& stream, Job& job, const Rows& now,
                               Timestamp time) {
  if (!sources_.fell_due) return false;
  auto due = sources_.fell_due(now, Context{.now = time});
  if (!due || !*due) return false;
  job.by_itself = true;
  propose(stream, job, std::move(**due), time);
  return true;
}

// The same for what a command that is done made due. Where nobody can tell, it happens later.
bool CommandLoop::makes_due(const std::string& stream, Job& job) {
  try {
    return let_fall_due(stream, job, projector_.rows(stream), sources_.now());
  } catch (const UnreadableRows& rows) {
    projector_.cannot_read(rows);
    return false;
  }
}

// Whether the request was carried out before; then it is answered as it was.
bool CommandLoop::replay(const std::string& stream, Job& job, const Rows& now, Timestamp time) {
  const auto& asked = *job.request.idempotency;
  auto remembered = find_remembered(now, asked.key, time);
  if (!remembered) return false;
  if (remembered->request_hash != asked.request_hash) {
    answer(stream,
           Error{ErrorCode::kConflict, "This Idempotency-Key was used for another request."});
    return true;
  }
  answer(stream, Outcome{.row = std::move(remembered->row),
                         .at = remembered->at,
                         .position = remembered->position,
                         .replayed = true,
                         .refusal = std::move(remembered->refusal)});
  return true;
}

void CommandLoop::refuse(const std::string& stream, Job& job, const Error& error, Timestamp time) {
  if (!job.request.idempotency || !is_kept(error.code)) return answer(stream, error);
  job.refused = error;
  propose(stream, job, refusal_of(error, time), time);
}

bool CommandLoop::is_behind(const Job& job) const {
  return std::any_of(job.present.begin(), job.present.end(), [this](const Position& end) {
    return projector_.next(end.partition) < end.offset;
  });
}

// Where the rows come from that a stream's commands are decided on: its own, and reference data.
std::vector<int> CommandLoop::read_partitions(const std::string& stream) const {
  std::vector<int> partitions{log_.partition_of(stream)};
  const int reference = log_.partition_of(kReferenceStream);
  if (projector_.follows(kReferenceStream) && reference != partitions.front()) {
    partitions.push_back(reference);
  }
  return partitions;
}

std::vector<Position> CommandLoop::read_so_far(const std::string& stream) const {
  std::vector<Position> read;
  const auto partitions = read_partitions(stream);
  for (const auto& next : projector_.progress().next) {
    const bool concerns = std::ranges::find(partitions, next.partition) != partitions.end();
    if (concerns && next.offset > 0) read.push_back({next.partition, next.offset - 1});
  }
  return read;
}

// Whatever anybody had been told when this command arrived lies before the ends that are told now.
void CommandLoop::find_the_present(const std::string& stream, Job& job) {
  job.waits = true;
  const auto partitions = read_partitions(stream);
  const auto ends = std::make_shared<std::vector<Position>>();
  for (const int partition : partitions) {
    const auto told = [this, stream, ends, partition, asked = partitions.size(),
                       number = job.number](const Result<std::int64_t>& end) {
      Job* waiting = front(stream, number);
      if (waiting == nullptr) return;
      if (!end) return answer(stream, end.error());
      ends->push_back({partition, *end});
      if (ends->size() < asked) return;
      waiting->waits = false;
      waiting->present = std::move(*ends);
      for (const auto& each : waiting->present) {
        projector_.hurry({each.partition, each.offset - 1});
      }
      ready_.insert(stream);
    };
    log_.end(partition, [inbox = inbox_, told](const Result<std::int64_t>& end) {
      inbox->post([told, end] { told(end); });
    });
  }
}

void CommandLoop::propose(const std::string& stream, Job& job, Event event, Timestamp time) {
  job.waits = true;
  const auto record = std::make_shared<Record>(
      Record{.stream = stream,
             .envelope = {.id = sources_.new_id().text(),
                          .source = sources_.node,
                          .time = time,
                          .stream_version = projector_.rows(stream).version(),
                          .correlation_id = job.request.request_id,
                          .causation_id = job.request.request_id,
                          .actor = job.by_itself ? std::string(kClockActor) : job.request.actor,
                          .idempotency = job.by_itself ? std::nullopt : job.request.idempotency}});
  write_event(std::move(event), *record);
  verdicts_.await(*record, [this, stream, number = job.number](Verdict verdict) {
    Job* waiting = front(stream, number);
    if (waiting == nullptr) return;
    if (verdict == Verdict::kOvertaken) {
      waiting->waits = waiting->answers_nothing = waiting->by_itself = false;
      waiting->refused.reset();
      ready_.insert(stream);
    } else if (waiting->by_itself) {
      if (!waiting->request.decide) return answer(stream, Outcome{.at = sources_.now()});
      waiting->waits = waiting->by_itself = false;
      waiting->until = Steady::now() + limits_.patience;  // it goes on
      ready_.insert(stream);
    } else if (waiting->refused) {
      answer(stream, Error(*waiting->refused));
    } else {
      if (waiting->answers_nothing) settled_->event.reset();
      waiting->held = std::move(*settled_);
      const auto& done = waiting->held->event;
      if (done && may_bring_forward(*done) && makes_due(stream, *waiting)) return;
      answer(stream, std::move(*waiting->held));
    }
  });
  if (sources_.on_append) sources_.on_append(false);
  append(record, job.until);
}

// Again and again while nobody knows, until its client has been answered.
void CommandLoop::append(std::shared_ptr<const Record> record, Steady::time_point until) {
  log_.append(*record, [this, inbox = inbox_, record, until](const Result<Position>& end) {
    if (end) return;  // its reader tells the rest
    inbox->post([this, record, until, end] {
      if (sources_.on_append && end.error().code == ErrorCode::kStale) sources_.on_append(true);
      const auto when = Steady::now() + kBeforeTryingAgain;
      if (!verdicts_.asks_again(*record, end)) return;
      if (const auto its = jobs_.find(record->stream); its != jobs_.end()) {
        its->second.front().trouble = end.error().message;
      }
      if (when < until) again_.emplace_back(when, record);
    });
  });
}

void CommandLoop::on_record(const LoggedRecord& logged, bool accepted,
                            const std::shared_ptr<const Event>& event,
                            std::optional<RowBytes> row) {
  if (event && sources_.on_accepted) sources_.on_accepted(*event, logged);
  settled_ = Outcome{.event = event,
                     .row = std::move(row),
                     .at = logged.record.envelope.time,
                     .position = logged.position};
  verdicts_.read(logged.record, accepted);
  settled_.reset();
  if (jobs_.contains(logged.record.stream)) ready_.insert(logged.record.stream);
}

}  // namespace tilth
