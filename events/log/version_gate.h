// The rule by which all readers of a log agree on which of its records count.

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "events/log/event_log.h"

namespace tilth {

// A record counts if and only if its expected version equals the version of its stream when the
// reader reaches it in log order. So of several records for one version the first counts; a copy of
// a record never does, nor does a record that skips ahead.
//
// Pure: the verdicts depend on the records alone, so they are the same on every node. Give each
// partition its own gate, and pass it every record of that partition, once and in log order.
// Belongs to one thread. After a crash it must continue where its reader continues, so store the
// versions in the same write batch as the reader's offset.
class VersionGate {
 public:
  using Versions = std::unordered_map<std::string, std::uint64_t>;

  explicit VersionGate(Versions versions = {}) : versions_(std::move(versions)) {}

  // The rule itself. `version` is the current version of the record's stream.
  static bool counts(const Record& record, std::uint64_t version) {
    return record.foreign.empty() && record.envelope.stream_version == version;
  }

  // Whether `record` counts. If so, the version of its stream increases by one.
  bool admit(const Record& record) {
    if (!counts(record, version(record.stream))) return false;
    ++versions_[record.stream];
    return true;
  }

  std::uint64_t version(const std::string& stream) const {
    const auto found = versions_.find(stream);
    return found == versions_.end() ? 0 : found->second;
  }

 private:
  Versions versions_;
};

}  // namespace tilth
