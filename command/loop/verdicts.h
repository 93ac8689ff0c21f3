// The outcome of an appended record. The log does not report it; the node's own reader does.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "events/log/event_log.h"

namespace tilth {

enum class Verdict {
  kAccepted,   // it happened: complete the command
  kOvertaken,  // another record has that version: decide again, on the current rows
};

// Holds the records that a stream's commands wait for, and reports the verdict on each when the
// stream has moved past the version that it was decided against: the accepted record of that
// version is ours, or it is not. Acknowledgements, received or lost, and duplicates do not change
// that.
//
// Belongs to the thread that decides and reads, so that nothing is read in between. After a crash
// nothing waits any more; accepted records count.
class Verdicts {
 public:
  // The verdict on the record that a job waits for.
  struct Settled {
    std::uint64_t job;
    Verdict verdict;
  };

  // `job` waits for `record`. Call it before that is appended, while the reader is at the version
  // that it carries, or while each version from there on is awaited.
  void await(const Record& record, std::uint64_t job) {
    awaited_[record.stream].push_back({record.envelope.id, record.envelope.stream_version, job});
  }

  // The reader has read `record`, its VersionGate has accepted it or not, and the rows include it.
  // Null: it settles nothing. Each job is settled once.
  std::optional<Settled> read(const Record& record, bool accepted) {
    const auto found = awaited_.find(record.stream);
    if (!accepted || found == awaited_.end()) return std::nullopt;
    const auto& ours = found->second.front();
    if (record.envelope.stream_version != ours.version) return std::nullopt;
    const auto verdict = record.envelope.id == ours.id ? Verdict::kAccepted : Verdict::kOvertaken;
    const Settled settled{ours.job, verdict};
    found->second.pop_front();
    if (found->second.empty()) awaited_.erase(found);
    return settled;
  }

  // Nothing waits for that stream's records any more.
  void forget(const std::string& stream) { awaited_.erase(stream); }
  void forget_all() { awaited_.clear(); }

  // How many of its records are awaited.
  std::size_t count(const std::string& stream) const {
    const auto found = awaited_.find(stream);
    return found == awaited_.end() ? 0 : found->second.size();
  }

  // The id of the last of them; empty if there is none.
  std::string newest(const std::string& stream) const {
    const auto found = awaited_.find(stream);
    return found == awaited_.end() ? std::string() : found->second.back().id;
  }

  // Whether to append the same record again after an append ended with `end`: only if the outcome
  // is unknown, the verdict has not been read meanwhile, and every record before it has one.
  bool asks_again(const Record& record, const Result<Position>& end) const {
    const auto found = awaited_.find(record.stream);
    const bool unknown = !end && end.error().code == ErrorCode::kUnavailable;
    return unknown && found != awaited_.end() && found->second.front().id == record.envelope.id;
  }

 private:
  struct Awaited {
    std::string id;
    std::uint64_t version;
    std::uint64_t job;
  };

  std::map<std::string, std::deque<Awaited>> awaited_;  // by stream, by version
};

}  // namespace tilth
