#include "command/loop/command_loop.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "command/loop/command_times.h"
#include "events/log/event_record.h"
#include "events/log/refusal.h"
#include "events/log/streams.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kRetryDelay = 100ms;
constexpr std::size_t kMostAhead = 256;  // records of a stream without a verdict
// Of what is due on a stream, before others get their turn: its rows are in caches then.
constexpr int kDuePartsInARow = 4;
constexpr std::chrono::milliseconds kPollInterval = 20ms;

std::string key_of(const CommandRequest& request) {
  return request.stream + ' ' + request.idempotency->key;
}

Error unavailable(const std::string& trouble = {}) {
  return {.code = ErrorCode::kUnavailable,
          .message = trouble.empty()
                         ? "The log did not answer in time; whether this was done is not known."
                         : trouble + " Whether this was done is not known.",
          .retry_after_seconds = 1};
}

// The request's decision on these rows.
Decision decide(const CommandRequest& request, const Rows& rows, Timestamp now,
                const CommandLoop::Sources& sources) {
  if (request.times) request.times->begin_deciding();
  auto decision = request.decide(rows, {.now = now,
                                        .new_id = sources.new_id(),
                                        .if_match = request.if_match,
                                        .farm_limit = request.farm_limit,
                                        .rule_tasks_a_day = sources.rule_tasks_a_day});
  if (request.times) request.times->end_deciding();
  return decision;
}

Error not_begun(const std::string& why) {
  return {.code = ErrorCode::kUnavailable,
          .message = why + "; this one was not begun.",
          .retry_after_seconds = 1};
}

}  // namespace

Error cannot_decide(const Projector& projector) {
  return {
      .code = ErrorCode::kUnavailable,
      .message =
          projector.unreadable() ? "Changes are stopped: the read model cannot be read."
          : projector.faulted()
              ? "Changes are stopped: the projection is faulted at an event that cannot be read."
              : "Changes are stopped: an operator has paused the projection that they are decided "
                "on.",
      .retry_after_seconds = 60};
}

CommandLoop::CommandLoop(EventLog& log, ProjectionStore& store, Projection projection,
                         Sources sources, Limits limits)
    : log_(log),
      sources_(std::move(sources)),
      limits_(limits),
      projector_(log, store, std::move(projection),
                 [this](const auto& logged, bool accepted, const auto& event, auto row) {
                   on_record(logged, accepted, event, std::move(row));
                 }),
      due_(limits_.due_bytes),
      row_waiters_(projector_, sources_.steady, limits_.timeout),
      inbox_(std::make_shared<Inbox>([this] { projector_.wake(); })) {}

CommandLoop::~CommandLoop() {
  inbox_->close();
  shutdown();
}

Status CommandLoop::open() {
  const auto opened = projector_.open();
  if (!opened || !log_.is_sequential()) return opened;
  for (int partition = 0; partition < log_.partitions(); ++partition) {
    if (projector_.reads(partition)) ask_what_was_there(partition);
  }
  return opened;
}

Status CommandLoop::start_over(ProjectionStore& store) {
  shutdown();
  verdicts_.forget_all();
  for (auto* streams : {&contended_, &ready_, &behind_}) streams->clear();
  doubtful_.clear();
  was_there_.clear();
  retries_.clear();
  projector_.start_over(store);
  return open();
}

void CommandLoop::ask_what_was_there(int partition) {
  log_.end(partition, [this, partition, inbox = inbox_](const Result<std::int64_t>& end) {
    inbox->post([this, partition, end] {
      if (!end) return ask_what_was_there(partition);
      was_there_[partition] = *end;
      for (const auto& [stream, jobs] : jobs_) ready_.insert(stream);
    });
  });
}

bool CommandLoop::has_read_what_was_there() const {
  for (int partition = 0; partition < log_.partitions(); ++partition) {
    if (!projector_.reads(partition)) continue;
    const auto end = was_there_.find(partition);
    if (end == was_there_.end() || projector_.next(partition) < end->second) return false;
  }
  return true;
}

bool CommandLoop::is_waited_for() const {
  return waiting_ > 0 || !row_waiters_.empty() || !retries_.empty();
}

Result<bool> CommandLoop::turn(std::chrono::milliseconds timeout) {
  if (!is_waited_for()) inbox_->rest(std::min(timeout, projector_.linger()));
  const bool busy = take_inbox();
  if (row_waiters_.any_for_position() || !retries_.empty()) {
    timeout = std::min(timeout, kPollInterval);
  }
  const auto read = projector_.follow(busy ? 0ms : timeout);
  row_waiters_.notify();
  if (!read) return read.error();
  if (*read) ready_.merge(std::exchange(behind_, {}));
  return busy || *read;
}

// Returns whether another iteration is needed soon.
bool CommandLoop::take_inbox() {
  const auto work = inbox_->take();
  for (const auto& piece : work) piece();
  retry_appends();
  expire_jobs();
  while (!ready_.empty()) {
    const auto stream = ready_.extract(ready_.begin()).value();
    attempt(stream);
  }
  while (const auto next = due_.next()) {
    Job* job = front(next->stream, next->job);
    if (job == nullptr || !std::exchange(job->waits_for_room, false)) continue;
    attempt(next->stream);
  }
  row_waiters_.age_rows();
  row_waiters_.prefetch();
  return !work.empty() || row_waiters_.any_for_age();
}

void CommandLoop::attempt(const std::string& stream) {
  try {
    attempt_first(stream);
  } catch (const UnreadableRows& rows) {
    projector_.cannot_read(rows);
    if (jobs_.contains(stream)) complete_first(stream, cannot_decide(projector_));
  }
  attempt_behind(stream);
}

// Once a command has completed, the next one is the first.
void CommandLoop::attempt_first(const std::string& stream) {
  while (true) {
    const auto found = jobs_.find(stream);
    if (found == jobs_.end()) return;
    Job& job = found->second.front();
    if (job.unsent) append_unsent(stream);
    if (!std::holds_alternative<Ready>(job.state)) return;
    if (projector_.is_halted()) {  // the result could not be read
      complete_first_early(stream, cannot_decide(projector_));
      continue;
    }
    if (is_behind(job) || projector_.cascading(stream)) {  // its rows are incomplete
      behind_.insert(stream);
      return;
    }
    if (waits_for_room(stream, job)) return;
    decide_first(stream, job);
  }
}

// Appends, asks or completes.
void CommandLoop::decide_first(const std::string& stream, Job& job) {
  const Rows now = projector_.rows(stream);
  const auto time = sources_.now();
  if (run_due(stream, job, now, time)) return;
  if (job.result || !job.request.decide) {
    return complete_first(stream, job.result ? std::move(*job.result) : CommandResult{.at = time});
  }
  if (job.request.idempotency && replay(stream, job, now, time)) return;
  auto decision = decide(job.request, now, time, sources_);
  if (decision && *decision && !(*decision)->is<RequestAnswered>()) {
    return append_event(stream, job, std::move(**decision), time);
  }
  // The rows may be stale, and no append would verify what is decided on them.
  if (job.present.empty()) return ask_ends(stream, job);
  if (!decision) return refuse(stream, job, decision.error(), time);
  answer_without_event(stream, job, *decision, time);
}

void CommandLoop::answer_without_event(const std::string& stream, Job& job,
                                       const std::optional<Event>& answer, Timestamp time) {
  auto& request = job.request;
  if (const auto* answered = answer ? answer->get_if<RequestAnswered>() : nullptr) {
    request.shown_table = answered->table;
    request.shown_id = answered->row_id;
  }
  if (request.idempotency) {
    return propose(stream, job, AppendingNoChange{},
                   RequestAnswered{request.shown_table, request.shown_id, time}, time);
  }
  const int partition = log_.partition_of(stream);
  complete_first(
      stream, CommandResult{
                  .row = projector_.rows(stream).find_bytes(request.shown_table, request.shown_id),
                  .at = time,
                  .position = Position{partition, projector_.next(partition) - 1}});
}

// Decides commands before the verdict on those before them. On a log that other nodes write, a
// record names the one before it, and does not count if that one does not.
void CommandLoop::attempt_behind(const std::string& stream) {
  try {
    while (Job* job = first_behind(stream)) {
      job->waits_its_turn = !decide_ahead(stream, *job);
    }
  } catch (const UnreadableRows& rows) {
    projector_.cannot_read(rows);
  }
}

// The first command that is not appended, if all those before it are folded ahead. Null: it has to
// wait.
CommandLoop::Job* CommandLoop::first_behind(const std::string& stream) {
  const auto found = jobs_.find(stream);
  if (found == jobs_.end() || found->second.size() == 1) return nullptr;
  const auto appended = verdicts_.count(stream);
  if (appended == 0 || appended >= kMostAhead || contended_.contains(stream)) return nullptr;
  if (projector_.folded_ahead(stream) != appended || projector_.is_halted()) return nullptr;
  if (log_.is_sequential() && !has_read_what_was_there()) return nullptr;
  auto& jobs = found->second;
  if (appended >= jobs.size() || doubtful_.contains(stream)) return nullptr;
  return jobs[appended].waits_its_turn ? nullptr : &jobs[appended];
}

// Appends the event of a command. False: it has to wait, since it has no event as far as is known,
// or something else comes first.
bool CommandLoop::decide_ahead(const std::string& stream, Job& job) {
  const auto& request = job.request;
  const Rows rows = projector_.rows_ahead(stream);
  const auto time = sources_.now();
  if (due_by(rows, time)) return false;
  if (!request.decide) return false;
  if (request.idempotency && find_idempotency_record(rows, request.idempotency->key, time)) {
    return false;
  }
  auto decision = decide(request, rows, time, sources_);
  if (!decision || !*decision || (*decision)->is<RequestAnswered>()) return false;
  append_event(stream, job, std::move(**decision), time);
  return true;
}

// The record is folded while the log stores it. What it may make due comes before any command that
// is decided later, so those wait.
void CommandLoop::append_event(const std::string& stream, Job& job, Event event, Timestamp time) {
  const bool others_may_follow = !may_bring_forward(event);
  propose(stream, job, AppendingEvent{}, std::move(event), time);
  if (others_may_follow) projector_.fold_ahead(*job.record);
}

bool CommandLoop::may_bring_forward(const Event& event) const {
  return sources_.due.decide && sources_.due.may_bring_forward(event);
}

std::optional<Event> CommandLoop::due_by(const Rows& rows, Timestamp time) const {
  if (!sources_.due.decide) return std::nullopt;
  return sources_.due.decide(rows, time, sources_.rule_tasks_a_day);
}

// Whether a visit of the clock has to wait. A command that a client waits for does not, nor does
// one that such a command is behind.
bool CommandLoop::waits_for_room(const std::string& stream, Job& job) {
  const bool may_go_on = job.request.decide || due_.has_room() || jobs_.at(stream).size() > 1;
  if (!may_go_on && !job.waits_for_room) due_.wait(stream, job.number);
  job.waits_for_room = !may_go_on;
  return job.waits_for_room;
}

// Appends a part of what has fallen due, which comes first. Returns whether there was anything.
bool CommandLoop::run_due(const std::string& stream, Job& job, const Rows& now, Timestamp time) {
  auto due = due_by(now, time);
  if (!due) return false;
  propose(stream, job, AppendingDue{}, std::move(*due), time);
  std::get<AppendingDue>(job.state).share = due_.take(job.record->json.size());
  return true;
}

// The same for what a command has just made due. If the rows cannot be read, it happens later.
bool CommandLoop::run_what_it_made_due(const std::string& stream, Job& job) {
  try {
    return run_due(stream, job, projector_.rows(stream), sources_.now());
  } catch (const UnreadableRows& rows) {
    projector_.cannot_read(rows);
    return false;
  }
}

// Whether the request was run before; then its stored result is returned.
bool CommandLoop::replay(const std::string& stream, Job& job, const Rows& now, Timestamp time) {
  const auto& asked = *job.request.idempotency;
  auto record = find_idempotency_record(now, asked.key, time);
  if (!record) return false;
  if (record->request_hash != asked.request_hash) {
    complete_first(
        stream, Error{ErrorCode::kConflict, "This Idempotency-Key was used for another request."});
    return true;
  }
  complete_first(stream, CommandResult{.row = std::move(record->row),
                                       .at = record->at,
                                       .position = record->position,
                                       .replayed = true,
                                       .refusal = std::move(record->refusal)});
  return true;
}

void CommandLoop::refuse(const std::string& stream, Job& job, const Error& error, Timestamp time) {
  if (!job.request.idempotency || !is_kept(error.code)) return complete_first(stream, error);
  propose(stream, job, AppendingRefusal{error}, refusal_of(error, time), time);
}

bool CommandLoop::is_behind(const Job& job) const {
  return std::any_of(job.present.begin(), job.present.end(), [this](const Position& end) {
    return projector_.next(end.partition) < end.offset;
  });
}

// The partitions whose rows a stream's commands are decided on: its own, and the reference data's.
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

// Everything that any client knew when this command arrived is before the ends that the log reports
// now.
void CommandLoop::ask_ends(const std::string& stream, Job& job) {
  job.state = AskingEnds{};
  const auto partitions = read_partitions(stream);
  const auto ends = std::make_shared<std::vector<Position>>();
  for (const int partition : partitions) {
    const auto on_end = [this, stream, ends, partition, asked = partitions.size(),
                         number = job.number](const Result<std::int64_t>& end) {
      Job* waiting = front(stream, number);
      if (waiting == nullptr) return;
      if (!end) return complete_first(stream, end.error());
      ends->push_back({partition, *end});
      if (ends->size() < asked) return;
      waiting->state = Ready{};
      waiting->present = std::move(*ends);
      for (const auto& each : waiting->present) {
        projector_.prefetch_now({each.partition, each.offset - 1});
      }
      ready_.insert(stream);
    };
    log_.end(partition, [inbox = inbox_, on_end](const Result<std::int64_t>& end) {
      inbox->post([on_end, end] { on_end(end); });
    });
  }
}

void CommandLoop::propose(const std::string& stream, Job& job, JobState state, Event event,
                          Timestamp time) {
  job.state = std::move(state);
  const bool due = std::holds_alternative<AppendingDue>(job.state);
  const auto record = std::make_shared<Record>(Record{
      .stream = stream,
      .envelope = {.id = sources_.new_id().text(),
                   .source = sources_.node,
                   .time = time,
                   .stream_version = projector_.rows(stream).version() + verdicts_.count(stream),
                   .correlation_id = job.request.request_id,
                   .causation_id = job.request.request_id,
                   .actor = due ? std::string(kClockActor) : job.request.actor,
                   .idempotency = due ? std::nullopt : job.request.idempotency,
                   .traceparent = job.request.traceparent,
                   .predecessor = log_.is_sequential() ? "" : verdicts_.newest(stream)}});
  write_event(std::move(event), *record);
  job.record = record;
  verdicts_.await(*record, job.number);
  if (sources_.on_append) sources_.on_append(false);
  append(record, job.deadline, job.request.times);
}

// `result` is that of the job's record, if it counts.
void CommandLoop::on_verdict(const std::string& stream, Job& job, Verdict verdict,
                             CommandResult result) {
  if (verdict == Verdict::kOvertaken) {
    job.state = Ready{};
    job.unsent = false;
    ready_.insert(stream);
    if (!log_.is_sequential()) return decide_those_behind_again(stream);
    return complete_those_behind(stream);  // moves the jobs
  }
  if (!contended_.empty() && verdicts_.count(stream) == 0) contended_.erase(stream);
  if (std::holds_alternative<AppendingDue>(job.state)) {
    due_settled_ = sources_.steady();
    job.deadline = due_settled_ + limits_.timeout;  // it makes progress
    if (!job.request.decide && ++job.due_parts == kDuePartsInARow) {
      return complete_first(stream, CommandResult{.at = sources_.now()});
    }
    job.state = Ready{};
    ready_.insert(stream);
    return;
  }
  if (auto* refusal = std::get_if<AppendingRefusal>(&job.state)) {
    return complete_first(stream, Error(std::move(refusal->error)));
  }
  if (std::holds_alternative<AppendingNoChange>(job.state)) result.event.reset();
  job.result = std::move(result);
  const auto& done = job.result->event;
  if (done && may_bring_forward(*done) && run_what_it_made_due(stream, job)) return;
  complete_first(stream, std::move(*job.result));
}

// The first record of a stream, and those behind it that were refused because it was not there.
void CommandLoop::append_unsent(const std::string& stream) {
  auto& jobs = jobs_.at(stream);
  const auto end = jobs.begin() + static_cast<std::ptrdiff_t>(verdicts_.count(stream));
  for (auto job = jobs.begin(); job != end; ++job) {
    if (std::exchange(job->unsent, false)) append(job->record, job->deadline, job->request.times);
  }
}

// A copy of `record` does not count. If it is one of ours that came too early, another copy may.
void CommandLoop::note_refused(const Record& record) {
  const auto awaited = verdicts_.count(record.stream);
  if (awaited == 0) return;
  if (record.envelope.source != sources_.node) {
    contended_.insert(record.stream);
    return;
  }
  auto& jobs = jobs_.at(record.stream);
  const auto end = jobs.begin() + static_cast<std::ptrdiff_t>(awaited);
  const auto its = std::find_if(jobs.begin(), end, [&](const Job& job) {
    return job.record->envelope.id == record.envelope.id;
  });
  if (its != end) its->unsent = true;
}

// Retries while the outcome is unknown, until the command's deadline.
void CommandLoop::append(std::shared_ptr<const Record> record, Steady::time_point deadline,
                         std::shared_ptr<CommandTimes> times) {
  if (times) times->begin_appending();
  log_.append(*record, [this, inbox = inbox_, record, deadline,
                        times = std::move(times)](const Result<Position>& end) {
    if (end && times) times->end_appending();
    if (end) return;  // the verdict comes from the reader
    inbox->post(
        [this, record, deadline, why = end.error()] { on_append_failed(record, deadline, why); });
  });
}

void CommandLoop::on_append_failed(const std::shared_ptr<const Record>& record,
                                   Steady::time_point deadline, const Error& why) {
  const bool stale = why.code == ErrorCode::kStale;
  if (sources_.on_append && stale) sources_.on_append(true);
  const auto found = jobs_.find(record->stream);
  if (found == jobs_.end()) return;
  auto& jobs = found->second;
  const auto its =
      std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) { return job.record == record; });
  if (its == jobs.end()) return;
  if (!stale) its->trouble = why.message;
  if (its != jobs.begin()) {
    its->unsent = true;
    return;
  }
  // It may be stale only because the record before it was not there yet.
  const bool may_fit_now = stale && log_.is_sequential();
  const auto when = sources_.steady() + kRetryDelay;
  if (!verdicts_.asks_again(*record, why) && !may_fit_now) return;
  if (when < deadline) retries_.emplace_back(when, record);
}

void CommandLoop::on_record(const LoggedRecord& logged, bool accepted,
                            const std::optional<Event>& event, std::optional<RowBytes> row) {
  if (event && sources_.on_accepted) sources_.on_accepted(*event, logged, row ? &*row : nullptr);
  const auto& record = *logged.record;
  const auto& stream = record.stream;
  const auto doubtful = doubtful_.find(stream);
  if (accepted && doubtful != doubtful_.end() &&
      record.envelope.stream_version >= doubtful->second) {
    doubtful_.erase(doubtful);
  }
  if (!accepted && record.foreign.empty()) note_refused(record);
  if (const auto settled = verdicts_.read(record, accepted)) {
    if (Job* job = front(stream, settled->job)) {
      on_verdict(stream, *job, settled->verdict,
                 {.event = event,
                  .row = std::move(row),
                  .at = record.envelope.time,
                  .position = logged.position});
    }
  }
  if (jobs_.contains(stream)) ready_.insert(stream);
}

void CommandLoop::carry_out(CommandRequest request, OnDone done) {
  if (waiting_ >= limits_.waiting) return done(not_begun("Too many changes wait"));
  ++waiting_;
  const auto deadline = sources_.steady() + limits_.timeout;
  auto job = std::make_shared<Job>(Job{std::move(request), std::move(done), deadline});
  inbox_->post([this, job = std::move(job)] { begin(std::move(*job)); });
}

void CommandLoop::begin(Job job) {
  if (job.request.idempotency && !keys_.insert(key_of(job.request)).second) {
    --waiting_;
    return job.done(Error{.code = ErrorCode::kConflict,
                          .message = "The first request with this Idempotency-Key still runs.",
                          .retry_after_seconds = 1});
  }
  job.number = ++jobs_begun_;
  ready_.insert(job.request.stream);
  auto& jobs = jobs_[job.request.stream];
  jobs.push_back(std::move(job));
}

CommandLoop::Job* CommandLoop::front(const std::string& stream, std::uint64_t number) {
  const auto found = jobs_.find(stream);
  const bool there = found != jobs_.end() && found->second.front().number == number;
  return there ? &found->second.front() : nullptr;
}

void CommandLoop::complete_first(const std::string& stream, const Result<CommandResult>& outcome) {
  const auto found = jobs_.find(stream);
  auto job = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) {
    jobs_.erase(found);
  } else {
    ready_.insert(stream);
  }
  complete(std::move(job), outcome);
}

void CommandLoop::complete(Job job, const Result<CommandResult>& outcome) {
  if (job.request.idempotency) keys_.erase(key_of(job.request));
  --waiting_;
  if (job.request.times) job.request.times->complete();
  job.done(outcome);
}

// The first job has no verdict in time, or lost its version: whether the records behind it count is
// not known. On a sequential log, nothing else is decided ahead until it is; on another, what is
// decided from now on names other predecessors.
void CommandLoop::complete_those_behind(const std::string& stream) {
  auto& jobs = jobs_.at(stream);
  if (const auto awaited = verdicts_.count(stream); awaited > 0 && log_.is_sequential()) {
    auto& last = doubtful_[stream];  // others may have ended before
    last = std::max(last, jobs.front().record->envelope.stream_version + awaited);
  }
  verdicts_.forget(stream);
  projector_.drop_ahead(stream);
  const auto is_appended = [](const Job& job) {
    return std::holds_alternative<AppendingEvent>(job.state);
  };
  const auto begin = std::next(jobs.begin());
  const auto end = std::find_if_not(begin, jobs.end(), is_appended);
  std::vector<Job> behind(std::make_move_iterator(begin), std::make_move_iterator(end));
  jobs.erase(begin, end);
  for (auto& job : behind) {
    const auto why = unavailable(job.trouble);
    complete(std::move(job), why);
  }
}

// The first job lost its version. The records behind it were decided upon its record, so no copy of
// any of them can count.
void CommandLoop::decide_those_behind_again(const std::string& stream) {
  auto& jobs = jobs_.at(stream);
  const auto end = jobs.begin() + 1 + static_cast<std::ptrdiff_t>(verdicts_.count(stream));
  for (auto job = jobs.begin() + 1; job != end; ++job) {
    job->state = Ready{};
    job->record.reset();
    job->unsent = false;
  }
  verdicts_.forget(stream);
  contended_.insert(stream);
}

void CommandLoop::retry_appends() {
  const auto now = sources_.steady();
  for (auto& [when, record] : std::exchange(retries_, {})) {
    if (when > now) {
      retries_.emplace_back(when, std::move(record));
    } else {
      append(record, now + limits_.timeout);
    }
  }
}

// Runs a few times a second. A command that timed out may still happen: its record counts or it
// does not, and the stream's next command is decided on the rows as they are read.
void CommandLoop::expire_jobs() {
  const auto now = sources_.steady();
  if (now < next_expiry_) return;
  next_expiry_ = now + 200ms;
  std::vector<std::string> late;
  for (const auto& [stream, jobs] : jobs_) {
    const auto& first = jobs.front();
    // It is complete, except for its cascade.
    const bool cascades = projector_.cascading(stream) && !projector_.faulted();
    const bool comes_closer = first.waits_for_room && now < due_settled_ + limits_.timeout;
    // A visit that has carried out a part, and may have no other.
    const bool comes_next = first.due_parts > 0 && ready_.contains(stream);
    if (first.deadline <= now && !cascades && !comes_closer && !comes_next) late.push_back(stream);
  }
  for (const auto& stream : late) {
    complete_those_behind(stream);
    const bool held_up = projector_.progress().held_up;
    complete_first_early(
        stream, unavailable(held_up ? "The read model is not following the log at the moment."
                                    : jobs_.at(stream).front().trouble));
    for (auto jobs = jobs_.find(stream);
         jobs != jobs_.end() && jobs->second.front().deadline <= now; jobs = jobs_.find(stream)) {
      complete_first(stream, not_begun("Another change was not done in time"));
    }
  }
}

// Completes the first job: with its result if that is known, else with `why`.
void CommandLoop::complete_first_early(const std::string& stream, Error why) {
  auto& result = jobs_.at(stream).front().result;
  complete_first(stream, result ? Result<CommandResult>(std::move(*result)) : std::move(why));
}

void CommandLoop::shutdown() {
  for (const auto& piece : inbox_->take()) piece();
  while (!jobs_.empty()) complete_first_early(jobs_.begin()->first, unavailable());
  row_waiters_.end_all();
}

void CommandLoop::when_reached(std::string stream, Position position,
                               std::chrono::milliseconds timeout, std::function<void(bool)> done) {
  inbox_->post([this, waiter = RowWaiters::ForPosition{
                          std::move(stream), position, sources_.steady() + timeout,
                          std::move(done)}] { row_waiters_.add(waiter); });
}

void CommandLoop::when_aged(std::string stream, Timestamp now, std::function<void(bool)> done) {
  inbox_->post([this, waiter = RowWaiters::ForAge{std::move(stream), now,
                                                  sources_.steady() + limits_.timeout,
                                                  std::move(done)}] { row_waiters_.add(waiter); });
}

}  // namespace tilth
