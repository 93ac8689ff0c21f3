// Runs what falls due, for all owners, when its time has come.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/node/failing_streams.h"
#include "command/loop/cells.h"
#include "command/work/due_rules.h"
#include "events/values/ids.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// Sleeps until the first wake of all (wakes.h), then runs a command on each stream with due work.
// Every node with the role does this; the second of two nodes finds nothing left. Nothing is lost
// while no node does it: due work is stored in the rows. A stream on which it cannot be done, since
// perhaps its partition has no leader, is tried again apart from the others.
//
// Threads: one of its own; wake(), visit() and run_due() may be called from any.
class ClockLoop {
 public:
  using OnDone = std::function<void(const Status&)>;

  // Borrowed; must outlive the loop.
  struct Parts {
    Cells& registry;
    const Clock& clock;
    const IdSource& ids;
    LogLines& log;
  };
  explicit ClockLoop(Parts parts) : parts_(parts) {}
  ~ClockLoop();

  // Starts the loop; before that nothing happens and run_due() waits. Returns once everything that
  // fell due earlier has happened, or after `timeout`.
  void begin(std::chrono::milliseconds timeout);

  // To be called when the time, or what is due first, may have changed.
  void wake();

  // Runs before everything else that is due, on the streams of that cell.
  void visit(std::size_t cell, const VisitRulesOfTemplate& visit);

  // Runs `done` once everything due by now has happened and can be read, or with the Error that
  // prevents it.
  void run_due(OnDone done);

  // Completes pending and later run_due() calls with kUnavailable.
  void stop();

 private:
  void run(const std::stop_token& stop);
  // `awaited`: a caller waits for all that is due, also on streams that have just failed.
  Status let_happen(bool awaited, const std::stop_token& stop);
  struct Visit {
    std::size_t cell;
    VisitRulesOfTemplate what;
    std::vector<std::string> left = {};  // of the cell's streams; empty: all
    FailingStreams::Steady::time_point again = {};
  };
  Status visit_all(Visit& visit);
  struct Late {
    std::vector<std::string> streams;
    Status why = kDone;
  };
  Late carry_out(std::vector<std::string> streams, const Decide& decide);
  Late try_all(const std::vector<std::string>& streams, const Decide& decide);
  void try_failing_again();
  CommandRequest request_for(const std::string& stream, const Decide& decide) const;
  std::vector<std::string> due_streams(Status& trouble) const;
  Status for_each_cell(const std::function<void(const RowReader&)>& visit) const;
  std::chrono::milliseconds until_next() const;
  void sleep(const std::stop_token& stop, std::chrono::milliseconds timeout, bool may_be_woken);
  std::vector<Visit> take_visits(bool awaited);
  void visit_again(Visit visit);
  void complete(std::vector<OnDone> callers, const Status& status);

  const Parts parts_;
  // A command that is under way may end after this is destroyed.
  const std::shared_ptr<FailingStreams> failing_ = std::make_shared<FailingStreams>();
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool woken_ = false, ended_ = false;
  std::vector<OnDone> callers_;
  std::vector<Visit> visits_;
  std::jthread thread_;
};

}  // namespace tilth
