// Where each stream's records are in the log, so that reading one owner's history costs what that
// owner wrote, and not what all owners did.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "events/log/version_gate.h"
#include "projections/fold/projection_store.h"

namespace tilth {

// Operation: follows the log behind its writers, so that no write waits for it. For each stream it
// stores the offsets of its accepted records, in runs: a run is what one page of the log had of
// that stream. It stores them by type of event, too, in runs of the same form, so that a rare type
// in a long stream costs what there is of it. A caller reads on first, with reach(), up to the end
// of the log at that time.
//
// It may follow some partitions only. Of another one it knows what it has read of it, and reads on
// when it is asked to reach a position there.
//
// If its rows cannot be read, it throws UnreadableRows and stops following. The rows can be
// deleted, and are rebuilt.
//
// Threads: any.
//
// Crash: continues from its last commit; with an empty store it starts at the beginning of the log.
class StreamIndex {
 public:
  // The version of its rows' format. If the stored version differs, the index is rebuilt.
  static constexpr std::string_view kFingerprint = "3";

  // Both must outlive it.
  StreamIndex(EventLog& log, ProjectionStore& store) : log_(log), store_(store) {}

  // Follows all partitions. kLost: the log ends before what was read of it. kDamaged: the stored
  // position cannot be read.
  Status open();

  // From now on follows these partitions alone. Errors: EventLog::read()'s; then it follows what it
  // did before.
  Status follow_only(const std::set<int>& partitions);

  // Reads a page of what there is, without waiting. Returns whether there was anything.
  //
  //   kUnavailable  the log or the store cannot do it just now: retry.
  //   kLost, kDamaged  it cannot continue.
  Result<bool> follow();

  // Reports rows that could not be read: if they are its own, it cannot continue.
  void cannot_read(const UnreadableRows& rows);
  bool unreadable() const { return unreadable_; }

  // Reads on until it knows all records before `end`.
  //
  //   kUnavailable  not within `timeout`, or as above.
  Status reach(const Position& end, std::chrono::milliseconds timeout);

  // The first record of a partition that it does not know.
  std::int64_t next_of(int partition);

  // The offsets of a stream's accepted records, from `version` on, in order, at most `limit`.
  std::vector<std::int64_t> offsets(const std::string& stream, std::uint64_t version,
                                    std::size_t limit) const;

  // The types of the stream's accepted records, each once, in order.
  std::vector<std::string> types(const std::string& stream) const;

  // The offsets of its accepted records of these types, from offset `from` on, in order, at most
  // `limit`.
  std::vector<std::int64_t> offsets_of(const std::string& stream,
                                       const std::vector<std::string>& types, std::int64_t from,
                                       std::size_t limit) const;

  // How many of the stream's accepted records are before `offset`.
  std::uint64_t version_at(const std::string& stream, std::int64_t offset) const;

 private:
  Result<bool> follow(std::chrono::milliseconds timeout);
  Result<bool> guarded(const std::function<Result<bool>()>& read);
  Result<bool> read_on(std::chrono::milliseconds timeout);
  Result<bool> read_aside(LogReader& reader, std::chrono::milliseconds timeout);
  const StreamHead& known_head(const std::string& stream);
  Status commit(const std::vector<LoggedRecord>& page);

  EventLog& log_;
  ProjectionStore& store_;

  std::timed_mutex mutex_;  // guards what follows, and all writes
  std::set<int> followed_;
  std::unique_ptr<LogReader> reader_;  // of what is followed; null: nothing is
  std::vector<LoggedRecord> page_;     // read, not committed yet
  std::map<int, std::int64_t> next_;
  VersionGate::Heads heads_;  // of some streams
  std::optional<Error> stopped_;

  std::atomic<bool> unreadable_ = false;
};

}  // namespace tilth
