// Runs commands: look up, decide, append, read the verdict, complete. One thread runs the loop and
// never blocks on a single command; other threads leave commands and results in its inbox.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "command/decision.h"
#include "command/loop/due_queue.h"
#include "command/loop/inbox.h"
#include "command/loop/row_waiters.h"
#include "command/loop/verdicts.h"
#include "projections/fold/projector.h"

namespace tilth {

// Why no command is decided while that projector is halted. kUnavailable.
Error cannot_decide(const Projector& projector);

// Threads: carry_out(), run(), read_so_far(), when_reached(), when_aged() and waiting() from any,
// all else from the loop's thread. Decisions and the callbacks about them never run at the same
// time.
//
// Crash: a command that was not acknowledged may or may not have happened; its client retries with
// the same Idempotency-Key.
class CommandLoop final : public Commands {
 public:
  // What happens on a stream by time alone; without functions, nothing.
  struct DueWork {
    // A bounded part of what has fallen due by `now`; null once all of it has happened.
    std::function<std::optional<Event>(const Rows&, Timestamp now, std::int64_t rule_tasks_a_day)>
        decide = {};
    // Whether an event may make something due sooner than before.
    std::function<bool(const Event&)> may_bring_forward = {};
  };

  // The external inputs of every decision.
  struct Sources {
    std::string node;  // ce_source
    std::function<Timestamp()> now;
    std::function<Uuid()> new_id;
    // Called with each accepted record once its rows can be read, before its command completes.
    // `row` is the one that the event is about; null: there is none.
    std::function<void(const Event&, const LoggedRecord&, const RowBytes* row)> on_accepted = {};
    std::function<void(bool refused)> on_append = {};  // for metrics: an append, or a stale one
    // It comes before any command that is decided later, and what a command makes due now happens
    // before that command completes.
    DueWork due = {};
    std::int64_t rule_tasks_a_day = kRuleTasksADay;  // the same on every node
    // For deadlines and retries.
    std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
  };
  struct Limits {
    std::chrono::milliseconds timeout{5'000};  // then a command completes with kUnavailable
    std::size_t waiting = 20'000;              // commands; above it kUnavailable at once
    std::size_t due_bytes = 512 << 10;         // of events of what fell due; see DueQueue
  };

  // `log` and `store` must outlive the loop.
  CommandLoop(EventLog& log, ProjectionStore& store, Projection projection, Sources sources)
      : CommandLoop(log, store, std::move(projection), std::move(sources), Limits{}) {}
  CommandLoop(EventLog& log, ProjectionStore& store, Projection projection, Sources sources,
              Limits limits);
  ~CommandLoop() override;

  Status open();

  // Ends what is left to do, and opens the loop again with other rows, of another position. While
  // nothing turns it. Errors: open()'s.
  Status start_over(ProjectionStore& store);

  void carry_out(CommandRequest request, OnDone done) override;

  // One iteration: empties the inbox, decides, reads on; waits up to `timeout` for work. Errors:
  // Projector::follow()'s; then commands stay queued.
  Result<bool> turn(std::chrono::milliseconds timeout);  // whether there was work

  // Completes every queued command with kUnavailable.
  void shutdown();

  // Runs `work` on the loop's thread, between two iterations.
  void run(std::function<void()> work) { inbox_->post(std::move(work)); }

  Projector& projector() { return projector_; }
  const Projector& projector() const { return projector_; }

  // The last positions read of the partitions of `stream` and of the reference data. Another
  // projection that has read past them is as recent as this one.
  std::vector<Position> read_so_far(const std::string& stream) const;

  // Runs `done` on the loop's thread with true once the rows of `stream` reach past `position`, or
  // with false after `timeout`. Without a stream: those of all streams.
  void when_reached(std::string stream, Position position, std::chrono::milliseconds timeout,
                    std::function<void(bool)> done);

  // Runs `done` on the loop's thread with true once the rows of `stream` have aged up to `now`
  // (overdue.h), or with false if that fails until a command's timeout.
  void when_aged(std::string stream, Timestamp now, std::function<void(bool)> done);

  // Commands that have not completed.
  std::size_t waiting() const { return waiting_; }

 private:
  using Steady = std::chrono::steady_clock;

  // The state of a job. Only a stream's first one has another state than Ready, except that those
  // behind it may be AppendingEvent, too.
  struct Ready {};              // may be decided
  struct AskingEnds {};         // waits for the current ends of the log
  struct AppendingEvent {};     // waits for the verdict on its event,
  struct AppendingNoChange {};  // on RequestAnswered,
  struct AppendingDue {         // on what fell due before it,
    DueQueue::Share share = {};
  };
  struct AppendingRefusal {  // or on a refusal that is stored
    Error error;
  };
  using JobState = std::variant<Ready, AskingEnds, AppendingEvent, AppendingNoChange, AppendingDue,
                                AppendingRefusal>;

  struct Job {
    CommandRequest request;
    OnDone done;
    Steady::time_point deadline;
    std::uint64_t number = 0;
    JobState state = Ready{};
    std::vector<Position> present = {};         // ends of partitions, read after it arrived
    std::optional<CommandResult> result = {};   // held until what it made due has happened
    std::string trouble = {};                   // why the log did not append it
    std::shared_ptr<const Record> record = {};  // what it has appended last
    bool unsent = false;          // it has to be appended again, after the records before it
    bool waits_its_turn = false;  // it cannot be decided ahead of the verdict on those before it
    bool waits_for_room = false;  // in due_
    int due_parts = 0;            // of what fell due, which a visit has carried out
  };

  void begin(Job job);
  bool take_inbox();
  Job* front(const std::string& stream, std::uint64_t number);
  void attempt(const std::string& stream);
  void attempt_first(const std::string& stream);
  void decide_first(const std::string& stream, Job& job);
  void answer_without_event(const std::string& stream, Job& job, const std::optional<Event>& answer,
                            Timestamp time);
  void attempt_behind(const std::string& stream);
  Job* first_behind(const std::string& stream);
  bool decide_ahead(const std::string& stream, Job& job);
  void ask_what_was_there(int partition);
  bool has_read_what_was_there() const;
  std::optional<Event> due_by(const Rows& rows, Timestamp time) const;
  bool waits_for_room(const std::string& stream, Job& job);
  bool run_due(const std::string& stream, Job& job, const Rows& now, Timestamp time);
  bool may_bring_forward(const Event& event) const;
  bool run_what_it_made_due(const std::string& stream, Job& job);
  bool replay(const std::string& stream, Job& job, const Rows& now, Timestamp time);
  void refuse(const std::string& stream, Job& job, const Error& error, Timestamp time);
  bool is_behind(const Job& job) const;
  void ask_ends(const std::string& stream, Job& job);
  std::vector<int> read_partitions(const std::string& stream) const;
  void propose(const std::string& stream, Job& job, JobState state, Event event, Timestamp time);
  void append_event(const std::string& stream, Job& job, Event event, Timestamp time);
  void on_verdict(const std::string& stream, Job& job, Verdict verdict, CommandResult result);
  void append_unsent(const std::string& stream);
  void note_refused(const Record& record);
  void complete_those_behind(const std::string& stream);
  void decide_those_behind_again(const std::string& stream);
  void append(std::shared_ptr<const Record> record, Steady::time_point deadline,
              std::shared_ptr<CommandTimes> times = nullptr);
  void on_record(const LoggedRecord& logged, bool accepted, const std::optional<Event>& event,
                 std::optional<RowBytes> row);
  void complete(Job job, const Result<CommandResult>& outcome);
  void complete_first(const std::string& stream, const Result<CommandResult>& outcome);
  void on_append_failed(const std::shared_ptr<const Record>& record, Steady::time_point deadline,
                        const Error& why);
  void complete_first_early(const std::string& stream, Error why);
  bool is_waited_for() const;
  void retry_appends();
  void expire_jobs();

  EventLog& log_;
  const Sources sources_;
  const Limits limits_;
  Projector projector_;
  Verdicts verdicts_;
  std::map<std::string, std::deque<Job>> jobs_;  // by stream; only the first ones run
  // On a sequential log, streams that may still get records of commands that ended without a
  // verdict, and the last version of those.
  std::map<std::string, std::uint64_t> doubtful_;
  // Streams for which another node decides, too. Nothing is decided ahead for these until a record
  // counts behind which nothing waits, so that both get their records in.
  std::set<std::string> contended_;
  // The ends of the log at the start, as far as they are known: rows that do not reach there may be
  // old, although no other node appends.
  std::map<int, std::int64_t> was_there_;
  std::set<std::string> ready_;   // streams whose first job may continue
  std::set<std::string> behind_;  // ready again once more of the log is read
  std::set<std::string> keys_;    // stream and Idempotency-Key of running jobs
  DueQueue due_;
  Steady::time_point due_settled_ = {};  // when the last verdict on what fell due was read
  RowWaiters row_waiters_;
  // Appends to retry.
  std::vector<std::pair<Steady::time_point, std::shared_ptr<const Record>>> retries_;
  std::uint64_t jobs_begun_ = 0;
  Steady::time_point next_expiry_ = {};
  std::atomic<std::size_t> waiting_ = 0;
  const std::shared_ptr<Inbox> inbox_;  // the log may outlive us
};

}  // namespace tilth
