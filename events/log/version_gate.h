// The rule by which every reader of a log agrees on which of its records count.

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "events/log/event_log.h"

namespace tilth {

// A record counts if and only if it was decided against the version at which its stream stands
// when the record's turn in the log comes. Hence of several records for one version the first
// counts, a copy of a record never does, and neither does one that skips ahead.
//
// Pure: the verdicts follow from the records alone, and so are the same on every node. Give each
// partition its own gate and every record of it, once and in log order. Belongs to one thread.
// After a crash it must continue from where its reader continues, so keep the versions in the
// same write batch as the reader's offset.
class VersionGate {
 public:
  using Versions = std::unordered_map<std::string, std::uint64_t>;

  explicit VersionGate(Versions versions = {}) : versions_(std::move(versions)) {}

  // The rule itself, where `version` is that at which the record's stream stands.
  static bool counts(const Record& record, std::uint64_t version) {
    return record.foreign.empty() && record.envelope.stream_version == version;
  }

  // Whether `record` counts. If so, its stream stands one higher from now on.
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
