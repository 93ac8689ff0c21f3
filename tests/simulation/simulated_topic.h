// What is stored in the logs of a simulated world.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "events/log/event_log.h"

namespace tilth::testing {

class SimulatedTopic {
 public:
  // kShared: several nodes append, and readers refuse what is stale, as on Kafka. kOwn: one node
  // appends, the log refuses what is stale, and syncs in batches, as the embedded log does.
  enum class Kind : std::uint8_t { kShared, kOwn };

  SimulatedTopic(Kind kind, int partitions)
      : kind_(kind), partitions_(static_cast<std::size_t>(partitions)) {}

  Kind kind() const { return kind_; }
  int partitions() const { return static_cast<int>(partitions_.size()); }
  const std::vector<LoggedRecord>& records(int partition) const {
    return partitions_.at(static_cast<std::size_t>(partition));
  }
  std::int64_t end(int partition) const { return std::ssize(records(partition)); }

  Position store(int partition, Record record);
  void lose_last(int partition, std::uint64_t records);

  // The next append to that stream may be stored or not, and is told that this is not known.
  void lose_next_outcome(const std::string& stream) { loses_outcome_.insert(stream); }
  // Whether this is that append.
  bool takes_loss(const std::string& stream) { return loses_outcome_.erase(stream) > 0; }
  // It was not stored, and a command cannot learn so before its timeout.
  void note_late_loss(const std::string& stream) { lost_late_.insert(stream); }
  bool had_late_loss(const std::string& stream) const { return lost_late_.contains(stream); }

 private:
  const Kind kind_;
  std::set<std::string> loses_outcome_, lost_late_;
  std::vector<std::vector<LoggedRecord>> partitions_;
};

}  // namespace tilth::testing
