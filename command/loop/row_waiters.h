// Callers that wait for the rows of a stream: until these reach a position of the log, or have
// aged.

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "events/values/time.h"

namespace tilth {

class Projector;

// Calls each caller once, with whether it got what it waits for.
//
// Threads: only the loop's. Crash: nothing survives; clients retry.
class RowWaiters {
 public:
  using Steady = std::chrono::steady_clock;
  using Done = std::function<void(bool)>;

  // Waits until the rows of `stream` reach past `position`. Without a stream: those of all streams.
  struct ForPosition {
    std::string stream;
    Position position;
    Steady::time_point deadline;
    Done done;
  };
  // Waits until the rows of `stream` have aged up to `now` (overdue.h).
  struct ForAge {
    std::string stream;
    Timestamp now;
    Steady::time_point deadline;  // extended while rows age
    Done done;
  };

  // Each batch that ages extends a deadline by `timeout`. `projector` and `steady` must outlive it.
  RowWaiters(Projector& projector, const std::function<Steady::time_point()>& steady,
             std::chrono::milliseconds timeout)
      : projector_(projector), steady_(steady), timeout_(timeout) {}

  void add(ForPosition waiter) { for_position_.push_back(std::move(waiter)); }
  void add(ForAge waiter) { for_age_.push_back(std::move(waiter)); }
  bool empty() const { return for_position_.empty() && for_age_.empty(); }
  bool any_for_position() const { return !for_position_.empty(); }
  bool any_for_age() const { return !for_age_.empty(); }

  // Has the log fetch the records that are waited for.
  void prefetch();
  // Calls those whose position is reached, and those whose deadline has passed.
  void notify();
  // Ages a batch of each stream in turn, so that no stream waits for all rows of another. Calls
  // those whose rows have aged, and those whose rows cannot: at once if the projector is faulted,
  // otherwise after the deadline.
  void age_rows();
  // Calls all of them with false.
  void end_all();

 private:
  bool is_reached(const ForPosition& waiter) const;

  Projector& projector_;
  const std::function<Steady::time_point()>& steady_;
  const std::chrono::milliseconds timeout_;
  std::vector<ForPosition> for_position_;
  std::vector<ForAge> for_age_;
};

}  // namespace tilth
