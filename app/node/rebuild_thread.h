// Builds another generation of a projection next to the live one, holds the two against each other,
// and lets readers go over to it.

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

// Operation: folds up to where the live rows stand, at once where it has not begun yet, compares,
// folds what came meanwhile, and is adopted by the loop's own thread between two turns, when both
// stand at the very same position. So no one reads anything older than before, and no one waits
// longer than a few pages take to fold. Where the live rows cannot be read it is adopted without
// having been compared with them.
//
// Threads: any. Crash: goes on from its checkpoint when it is made again; what was not all folded
// at once begins again.
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

  // All parts must outlive it. `generation` is the one to build, as far as it is built.
  RebuildThread(const Parts& parts, Generations::Store generation, OperatorOverrides orders,
                Choices choices);
  ~RebuildThread();
  void end();  // anyone who waits is told; the generation stays as it is

  void stop();  // until go_on()
  void go_on();
  void apply_overrides(OperatorOverrides orders);

  // Null once it has been switched to.
  std::optional<BuildingGeneration> standing() const;
  // Why it is not switched to by itself.
  std::string reason() const;

  // Switches, whatever the comparison said, and waits for that. kConflict: it has not caught up
  // and been compared yet. kUnavailable: the service ends.
  Status switch_over();

  // Until it has been switched to. kConflict: it will not be by itself, and why.
  Status wait_switched();

 private:
  enum class Phase : std::uint8_t { kFolds, kWaits, kDiffers, kFaulted, kSwitched };

  void run(const std::stop_token& stop, const Generations::Store& generation,
           OperatorOverrides orders);
  bool proceed(const std::stop_token& stop, Refold& fold);
  void build(const std::stop_token& stop, const Generations::Store& generation,
             OperatorOverrides orders);
  bool compare(const std::stop_token& stop, Refold& fold, const RocksStore& generation);
  bool compare_rows(const std::stop_token& stop, Refold& fold);
  bool leave_uncompared();
  void fail(const std::string& reason);
  bool may_switch(const std::stop_token& stop);
  bool try_switch(const std::stop_token& stop, Refold& fold, const Generations::Store& generation);
  std::uint64_t fill(const std::stop_token& stop, RocksStore& generation,
                     const OperatorOverrides& orders);
  bool may_go_on(const std::stop_token& stop);
  void tell(const std::vector<Position>& next, std::uint64_t folded);
  void enter(Phase phase, std::string reason = {});
  void rest(const std::stop_token& stop, std::chrono::milliseconds at_most);
  bool goes_on(const std::stop_token& stop) const;

  using Steady = std::chrono::steady_clock;

  const Parts parts_;
  const Choices choices_;
  const int generation_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  Phase phase_ = Phase::kFolds;
  bool stopped_ = false;
  bool ends_ = false;
  bool switch_ordered_ = false;
  std::optional<OperatorOverrides> new_orders_;
  std::string reason_;
  std::vector<Position> next_;
  double events_per_second_ = 0;
  Steady::time_point measured_at_ = Steady::now();
  std::uint64_t measured_ = 0;

  std::jthread thread_;
};

}  // namespace tilth
