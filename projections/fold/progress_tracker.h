// Tracks how far a projector is and what stops it, so that any thread can ask.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "events/values/result.h"
#include "projections/fold/projection_progress.h"

namespace tilth {

// A projector is faulted, paused by an operator, or follows its log; faulted if both stop it. Two
// faults are independent of each other: that of an event or of the log, and that of rows that
// cannot be read. The first is the reason that operators read.
//
// Threads: the const members may be called from any, except paused() and skips(). So may
// set_rows_fault(). Everything else belongs to the thread that follows the log.
//
// Crash: nothing survives; the projector tracks again what it finds.
class ProgressTracker {
 public:
  // Whether it is paused, and which events it skips. If it was faulted at one of those, it is no
  // longer.
  void apply_overrides(const OperatorOverrides& overrides);
  bool paused() const { return paused_; }
  bool skips(const Position& position) const {
    return skipped_.contains({position.partition, position.offset});
  }

  // Faulted by the log, or at the event `poison`. Returns the error.
  Error set_fault(Error error, std::optional<Poison> poison = {});
  // Faulted since its rows cannot be read. The first such error stays.
  void set_rows_fault(Error error);
  // It has other rows. Returns whether the former ones could not be read.
  bool clear_rows_fault();

  // Why it is faulted; nothing if it is not.
  std::optional<Error> fault() const;
  bool faulted() const { return stop_ == Stop::kFaulted; }
  // Paused or faulted.
  bool is_halted() const { return stop_ != Stop::kNone; }
  bool unreadable() const { return unreadable_; }

  // The log holds an event that it would have folded, if it were not halted.
  void set_lacks_events() { lacks_events_ = true; }
  // That is so, as far as is known. Withdrawn once nothing faults it.
  bool lacks_events() const { return lacks_events_; }

  // The result of following the log: while that is kUnavailable, it is held up.
  void note_followed(const Result<bool>& followed);
  // It is at the end of the log, unless it is halted meanwhile.
  void set_running();
  // `next`: of each partition, the first record that is not folded yet. `folded`: how many records
  // more are; `last_time`: that of the last of these.
  void publish(const std::map<int, std::int64_t>& next, std::optional<Timestamp> last_time,
               std::size_t folded);

  // Has no faults, and no last time: the projector begins with other rows.
  void start_over();

  // Without swept_streams.
  ProjectionProgress progress() const;
  // Whether it is past the record at `position`.
  bool has_read(const Position& position) const;
  bool has_read_any() const;

 private:
  enum class Stop : std::uint8_t { kNone, kPaused, kFaulted };

  void refresh_state();

  bool paused_ = false;                             // changed under mutex_
  std::set<std::pair<int, std::int64_t>> skipped_;  // partitions and offsets
  bool held_up_ = false;
  std::atomic<Stop> stop_ = Stop::kNone;
  std::atomic<bool> lacks_events_ = false;
  std::atomic<bool> unreadable_ = false;

  mutable std::mutex mutex_;         // guards what follows
  std::optional<Error> fault_;       // of an event, or of the log
  std::optional<Error> rows_fault_;  // set when they cannot be read
  ProjectionProgress progress_;
};

}  // namespace tilth
