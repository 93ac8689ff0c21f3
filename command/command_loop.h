// Carries commands out: look up, decide, append, read the verdict, answer. One thread turns it and
// never waits for a single command; what others finish is left in its inbox. While that thread
// waits for records, whoever brings a command decides it at once, on its own thread.

#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command/decision.h"
#include "command/inbox.h"
#include "command/verdicts.h"
#include "events/turn.h"
#include "projections/projector.h"

namespace tilth {

// Threads: carry_out(), run(), read_so_far(), when_reached(), when_aged() and waiting() from any,
// all else from the one that turns the loop. Decisions, and whatever is told of them, never run at
// the same time.
//
// Crash: what was not answered may have happened or not, and its client asks again with the same
// Idempotency-Key.
class CommandLoop final : public Commands {
 public:
  // What every decision is given from outside.
  struct Sources {
    std::string node;  // ce_source
    std::function<Timestamp()> now;
    std::function<Uuid()> new_id;
    // Hears of each accepted record once its rows can be read, before its command is answered.
    std::function<void(const Event&, const LoggedRecord&)> on_accepted = {};
    std::function<void(bool refused)> on_append = {};  // for metrics: an append, or a stale one
    // What happens by itself on a stream, a part at a time. It comes before any command that is
    // decided later, and what a command causes to be due now happens before that is answered.
    Decide fell_due = {};
  };
  struct Limits {
    std::chrono::milliseconds patience{5'000};  // until a command is answered kUnavailable
    std::size_t waiting = 20'000;               // commands; beyond, kUnavailable at once
  };

  // `log` and `store` must outlive the loop.
  CommandLoop(EventLog& log, ProjectionStore& store, Projection projection, Sources sources)
      : CommandLoop(log, store, std::move(projection), std::move(sources), Limits{}) {}
  CommandLoop(EventLog& log, ProjectionStore& store, Projection projection, Sources sources,
              Limits limits);
  ~CommandLoop() override;

  Status open() { return projector_.open(); }

  void carry_out(CommandRequest request, OnDone done) override;

  // One turn: does what the inbox holds, decides, reads on; waits up to `patience` for something to
  // do. Errors: Projector::follow()'s. The commands wait meanwhile.
  Result<bool> turn(std::chrono::milliseconds patience);  // whether there was anything to do

  // Answers everything that waits with kUnavailable.
  void give_up();

  // Runs `work` on the loop's thread, between two turns.
  void run(std::function<void()> work) { inbox_->post(std::move(work)); }

  Projector& projector() { return projector_; }
  const Projector& projector() const { return projector_; }

  // The last records that were read of where `stream` lies, and what all owners read: another
  // projection that reaches past them is as new as this one.
  std::vector<Position> read_so_far(const std::string& stream) const;

  // Runs `done` on the loop's thread once the rows of `stream` reach past `position`, with true, or
  // with false after `patience`.
  void when_reached(std::string stream, Position position, std::chrono::milliseconds patience,
                    std::function<void(bool)> done);

  // Runs `done` on the loop's thread once the rows of `stream` have aged up to `now` (aging.h),
  // with true, or with false where they could not for as long as a command has patience.
  void when_aged(std::string stream, Timestamp now, std::function<void(bool)> done);

  // Calls that wait, whatever for.
  std::size_t waiting() const { return waiting_; }

 private:
  using Steady = std::chrono::steady_clock;

  struct Job {
    CommandRequest request;
    OnDone done;
    Steady::time_point until;
    std::uint64_t number = 0;
    bool waits = false;                  // for the log, or for its verdict
    std::vector<Position> present = {};  // ends of partitions, asked after it arrived
    std::optional<Error> refused = {};   // what a kept refusal says, while it is appended
    bool answers_nothing = false;        // RequestAnswered is being appended
    bool by_itself = false;              // what fell due is being appended
    std::optional<Outcome> held = {};    // its own, until what it made due has happened
    std::string trouble = {};            // what the log says of why it is not appended
  };
  struct Waiter {
    std::string stream;
    Position position;
    Steady::time_point until;
    std::function<void(bool)> done;
  };
  struct Aging {
    std::string stream;
    Timestamp now;
    Steady::time_point until;  // the rows have to come on by then
    std::function<void(bool)> done;
  };

  void begin(Job job);
  bool begin_at_once(Job& job);
  bool do_what_came();
  Job* front(const std::string& stream, std::uint64_t number);
  void attempt(const std::string& stream);
  void attempt_each(const std::string& stream);
  bool let_fall_due(const std::string& stream, Job& job, const Rows& now, Timestamp time);
  bool makes_due(const std::string& stream, Job& job);
  bool replay(const std::string& stream, Job& job, const Rows& now, Timestamp time);
  void refuse(const std::string& stream, Job& job, const Error& error, Timestamp time);
  bool is_behind(const Job& job) const;
  void find_the_present(const std::string& stream, Job& job);
  std::vector<int> read_partitions(const std::string& stream) const;
  void propose(const std::string& stream, Job& job, Event event, Timestamp time);
  void append(std::shared_ptr<const Record> record, Steady::time_point until);
  void on_record(const LoggedRecord& logged, bool accepted,
                 const std::shared_ptr<const Event>& event, std::optional<RowBytes> row);
  void answer(const std::string& stream, const Result<Outcome>& outcome);
  void end(const std::string& stream, Error why);
  bool somebody_waits() const;
  void expire();
  void tell_waiters();
  void age_rows();

  EventLog& log_;
  const Sources sources_;
  const Limits limits_;
  const bool gathers_;   // records come together, and nobody decides between
  Turn turn_;            // guards what follows, but for what says otherwise
  Projector projector_;  // await() is for its thread, outside of turns
  Verdicts verdicts_;
  std::map<std::string, std::deque<Job>> jobs_;  // by stream; only the first is being carried out
  std::set<std::string> ready_;                  // streams whose first job may go on
  std::set<std::string> behind_;                 // … once more of the log has been read
  std::set<std::string> keys_;                   // stream and Idempotency-Key of what runs
  std::vector<Waiter> waiters_;                  // its thread's
  std::vector<Aging> aging_;                     // its thread's
  // To be appended again. Its thread's.
  std::vector<std::pair<Steady::time_point, std::shared_ptr<const Record>>> again_;
  std::uint64_t jobs_begun_ = 0;
  Steady::time_point next_expiry_ = {};
  std::optional<Outcome> settled_;  // the outcome that a verdict tells of, while it is told
  std::atomic<std::size_t> waiting_ = 0;
  const std::shared_ptr<Inbox> inbox_;  // the log may outlive us
};

}  // namespace tilth
