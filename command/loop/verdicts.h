// What became of an appended record. The log does not say; the node's own reader does.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "events/log/event_log.h"

namespace tilth {

enum class Verdict {
  kAccepted,   // it happened: answer the client
  kOvertaken,  // another record took that version: decide again, on the rows as they stand now
};

// Holds the record that a stream's command waits for, and settles it when the stream has moved past
// the version that it was decided against: the accepted record of that version is ours, or it is
// not. No acknowledgement, no lost one and no number of copies changes that.
//
// Belongs to the thread that decides and reads, so that nothing is read between the two. After a
// crash no one waits any more; what counts, counts.
class Verdicts {
 public:
  using OnVerdict = std::function<void(Verdict)>;

  // Call before `record` is appended, while the reader stands at the version that it carries. One
  // record per stream at a time. `settle` runs once.
  void await(const Record& record, OnVerdict settle) {
    awaited_.insert_or_assign(
        record.stream,
        Awaited{record.envelope.id, record.envelope.stream_version, std::move(settle)});
  }

  // The reader met `record`, its VersionGate accepted it or did not, and the rows follow it.
  void read(const Record& record, bool accepted) {
    const auto found = awaited_.find(record.stream);
    if (!accepted || found == awaited_.end()) return;
    const auto& ours = found->second;
    if (record.envelope.stream_version != ours.version) return;
    const auto verdict = record.envelope.id == ours.id ? Verdict::kAccepted : Verdict::kOvertaken;
    const auto settle = std::move(found->second.settle);
    awaited_.erase(found);  // first: settling may await the stream's next record
    settle(verdict);
  }

  // No one waits for that stream's record any more.
  void forget(const std::string& stream) { awaited_.erase(stream); }

  // How the append of `record` ended: whether the very same one is to be appended again. Only where
  // the outcome is unknown, and the verdict has not been read meanwhile.
  bool asks_again(const Record& record, const Result<Position>& end) const {
    const auto found = awaited_.find(record.stream);
    const bool unknown = !end && end.error().code == ErrorCode::kUnavailable;
    return unknown && found != awaited_.end() && found->second.id == record.envelope.id;
  }

 private:
  struct Awaited {
    std::string id;
    std::uint64_t version;
    OnVerdict settle;
  };

  std::map<std::string, Awaited> awaited_;
};

}  // namespace tilth
