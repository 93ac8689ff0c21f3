// Builds another generation of a projection alongside the live one, compares the two, and switches
// readers to it.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/operator/operated_projection.h"
#include "command/loop/command_loop.h"
#include "infra/log_lines/log_lines.h"
#include "infra/rocksdb/generations.h"
#include "projections/fold/refold.h"

namespace tilth {

// Operation: folds up to the position of the live rows, in bulk if it is empty, compares, folds
// what has arrived since, and is adopted on the loop's own thread between two iterations, when both
// are at exactly the same position. So readers never see older rows than before, and nothing waits
// longer than folding a few pages takes. If the live rows cannot be read, it is adopted without a
// comparison.
//
// Threads: any. Crash: resumes from its checkpoint when it is constructed again; an unfinished bulk
// fill starts over.
class RebuildThread {
 public:
  struct Parts {
    EventLog& log;
    CommandLoop& loop;  // of the live rows
    Generations& generations;
    const Projection& projection;
    const Clock& clock;
    LogLines& log_lines;
  };
  struct Choices {
    bool compares = true;
    bool manual = false;   // waits for switch_over()
    bool stopped = false;  // waits for go_on()
  };

  // All parts must outlive it. `generation` is the one to build, and may be partly built.
  RebuildThread(const Parts& parts, Generations::Store generation, OperatorOverrides overrides,
                Choices choices);
  ~RebuildThread();
  void end();  // completes all waits; the generation stays as it is
  // The same, and waits until the generation is not used any more.
  void end_and_wait();

  void stop();  // until go_on()
  void go_on();
  void apply_overrides(OperatorOverrides overrides);

  // Null once it has been switched to.
  std::optional<BuildingGeneration> standing() const;
  // Why it does not switch on its own.
  std::string reason() const;

  // Has it switch, whatever the comparison found. kConflict: it has not caught up and been compared
  // yet, or is stopped.
  Status order_switch();

  // Waits for the switch. kConflict: it will not switch on its own; the message says why.
  Status wait_switched();

 private:
  enum class Phase : std::uint8_t { kFolds, kWaits, kDiffers, kFaulted, kSwitched };

  void run(const std::stop_token& stop, const Generations::Store& generation,
           OperatorOverrides overrides);
  bool proceed(const std::stop_token& stop, Refold& fold);
  void build(const std::stop_token& stop, const Generations::Store& generation,
             OperatorOverrides overrides);
  bool compare(const std::stop_token& stop, Refold& fold, const RocksStore& generation);
  bool compare_rows(const std::stop_token& stop, Refold& fold);
  bool leave_uncompared();
  void fail(const std::string& reason);
  bool may_switch(const std::stop_token& stop);
  bool try_switch(const std::stop_token& stop, Refold& fold, const Generations::Store& generation);
  std::uint64_t fill(const std::stop_token& stop, RocksStore& generation,
                     const OperatorOverrides& overrides);
  bool may_go_on(const std::stop_token& stop);
  void publish(const std::vector<Position>& next, std::uint64_t folded);
  void enter(Phase phase, std::string reason = {});
  void rest(const std::stop_token& stop, std::chrono::milliseconds at_most);
  bool goes_on(const std::stop_token& stop) const;

  using Steady = std::chrono::steady_clock;

  const Parts parts_;
  const Choices choices_;
  const int generation_;

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  Phase phase_ = Phase::kFolds;
  bool stopped_ = false;
  bool ends_ = false;
  bool switch_ordered_ = false;
  std::optional<OperatorOverrides> new_overrides_;
  std::string reason_;
  std::vector<Position> next_;
  double events_per_second_ = 0;
  Steady::time_point measured_at_ = Steady::now();
  std::uint64_t measured_ = 0;

  std::jthread thread_;
};

}  // namespace tilth
