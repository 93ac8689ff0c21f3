// Where each stream's records lie in the log, so that reading one owner's history costs what that
// owner wrote, and not what everybody did.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "events/log/event_log.h"
#include "projections/fold/projection_store.h"

namespace tilth {

// Operation: follows the log behind its writers, so that no write waits for it, and keeps for each
// stream the offsets of its accepted records, in runs: a run is what one page of the log held of
// that stream. Anyone who asks reads on first, up to where the log ended when it asked.
//
// Where its rows cannot be read it throws UnreadableRows, and follows no more. They can be thrown
// away, and are recreated.
//
// Threads: any.
//
// Crash: goes on from its last commit; over an empty store it begins with the log's beginning.
class StreamIndex {
 public:
  // What its rows look like; where another version's lie, the index is recreated.
  static constexpr std::string_view kFingerprint = "1";

  // Both must outlive it.
  StreamIndex(EventLog& log, ProjectionStore& store) : log_(log), store_(store) {}

  // kLost: the log ends before what was read of it. kDamaged: where it stood cannot be read.
  Status open();

  // Reads a page of what there is, without waiting; whether there was anything.
  //
  //   kUnavailable  the log or the store cannot do it just now: ask again.
  //   kLost, kDamaged  it cannot go on.
  Result<bool> follow();

  // Somebody met these rows: if they are its own it cannot go on.
  void cannot_read(const UnreadableRows& rows);
  bool unreadable() const { return unreadable_; }

  // Reads on until all that lies before `end` is known.
  //
  //   kUnavailable  not within `timeout`, or as above.
  Status reach(const Position& end, std::chrono::milliseconds timeout);

  // Where the accepted records of a stream lie, those from `version` on in their order, `limit` at
  // most.
  std::vector<std::int64_t> offsets(const std::string& stream, std::uint64_t version,
                                    std::size_t limit) const;

  // How many of them lie before `offset`.
  std::uint64_t version_at(const std::string& stream, std::int64_t offset) const;

 private:
  Result<bool> follow(std::chrono::milliseconds timeout);
  Result<bool> read_on(std::chrono::milliseconds timeout);
  std::uint64_t known_version(const std::string& stream);
  Status commit(const std::vector<LoggedRecord>& page);

  EventLog& log_;
  ProjectionStore& store_;

  std::timed_mutex mutex_;  // guards what follows, and what is written
  std::unique_ptr<LogReader> reader_;
  std::vector<LoggedRecord> page_;  // read, not kept yet
  std::map<int, std::int64_t> next_;
  std::unordered_map<std::string, std::uint64_t> versions_;  // of some streams
  std::optional<Error> stopped_;

  std::atomic<bool> unreadable_ = false;
};

}  // namespace tilth
