// Lets happen what falls due by itself, of all owners, when its time has come.

#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "command/loop/command_loop.h"
#include "command/work/due_rules.h"
#include "events/values/ids.h"
#include "infra/log_lines/log_lines.h"

namespace tilth {

// Sleeps until the first of all wakes (wakes.h), and asks the command loop to let fall due what has
// come on each stream. Every node with the role does so; of two the second finds that nothing is
// left. Nothing is lost while no one does: what is due stands in the rows.
//
// Threads: one of its own; wake(), visit() and settle() may be called from any.
class ClockLoop {
 public:
  using OnSettled = std::function<void(const Status&)>;

  // All of it must outlive the loop.
  struct Parts {
    CommandLoop& registry;
    const Clock& clock;
    const IdSource& ids;
    LogLines& log;
  };
  explicit ClockLoop(Parts parts) : parts_(parts) {}
  ~ClockLoop();

  // Until then nothing happens, and what settles waits. Returns when what fell due while no one saw
  // to it has happened, or after `timeout`.
  void begin(std::chrono::milliseconds timeout);

  // The time, or what is due first, may have changed.
  void wake();

  // Before anything else that settles.
  void visit(const VisitRulesOfTemplate& visit);

  // Runs `done` once all that is due by now has happened and can be read, or with the Error that
  // keeps it from happening.
  void settle(OnSettled done);

  // What settles then is answered kUnavailable.
  void stop();

 private:
  void run(const std::stop_token& stop);
  Status let_happen(const std::stop_token& stop);
  Status visit_all(const VisitRulesOfTemplate& visit);
  struct Late {
    std::vector<std::string> streams;
    Status why = kDone;
  };
  Status carry_out(std::vector<std::string> streams, const Decide& decide);
  Late try_all(const std::vector<std::string>& streams, const Decide& decide);
  std::vector<std::string> due_streams() const;
  std::chrono::milliseconds until_next() const;
  void sleep(const std::stop_token& stop, std::chrono::milliseconds timeout, bool may_be_woken);
  std::optional<VisitRulesOfTemplate> next_visit();
  void visited();
  void tell(std::vector<OnSettled> settling, const Status& status);

  const Parts parts_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool woken_ = false, ended_ = false;
  std::vector<OnSettled> settling_;
  std::deque<VisitRulesOfTemplate> visits_;
  std::jthread thread_;
};

}  // namespace tilth
