// The rule by which all readers of a log agree on which of its records count.

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "events/log/event_log.h"

namespace tilth {

// Where a stream is: how many of its records count, and the id of the last of them.
struct StreamHead {
  std::uint64_t version = 0;
  std::string last_id = {};

  // `record` counts.
  void advance(const Record& record) {
    ++version;
    last_id = record.envelope.id;
  }
  friend bool operator==(const StreamHead&, const StreamHead&) = default;
};

// A record counts if and only if its expected version equals the version of its stream when the
// reader reaches it in log order and, if it names a predecessor, that is the last one that counts.
// So of several records for one version the first counts; of several copies at most one does; a
// record that skips ahead does not, and neither does one that was decided upon a record that did
// not count, nor all that was decided upon that.
//
// Pure: the verdicts depend on the records alone, so they are the same on every node. Give each
// partition its own gate, and pass it every record of that partition, once and in log order.
// Belongs to one thread. After a crash it must continue where its reader continues, so store the
// heads in the same write batch as the reader's offset.
class VersionGate {
 public:
  using Heads = std::unordered_map<std::string, StreamHead>;

  explicit VersionGate(Heads heads = {}) : heads_(std::move(heads)) {}

  // The rule itself, for a record whose stream is at `head`.
  static bool counts(const Record& record, const StreamHead& head) {
    const auto& predecessor = record.envelope.predecessor;
    return record.foreign.empty() && record.envelope.stream_version == head.version &&
           (predecessor.empty() || predecessor == head.last_id);
  }

  // Whether `record` counts. If so, its stream advances.
  bool admit(const Record& record) {
    auto found = heads_.find(record.stream);
    if (!counts(record, found == heads_.end() ? StreamHead() : found->second)) return false;
    if (found == heads_.end()) found = heads_.try_emplace(record.stream).first;
    found->second.advance(record);
    return true;
  }

  std::uint64_t version(const std::string& stream) const {
    const auto found = heads_.find(stream);
    return found == heads_.end() ? 0 : found->second.version;
  }

 private:
  Heads heads_;
};

}  // namespace tilth
