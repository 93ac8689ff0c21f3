// Reads partitions of the topic forward, each from where it is told.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "events/event_log.h"
#include "infra/kafka/kafka_client.h"

namespace tilth {

// Operation: partitions are assigned by hand, and nothing is ever committed to a group. Where the
// log does not hold what comes next, that is an error and never a jump.
class KafkaReader final : public LogReader {
 public:
  // Says in which partition a stream lies.
  using PartitionOf = std::function<int(std::string_view stream)>;

  // `settings` must outlive it. kInvalid, kUnavailable: no client could be made.
  static Result<std::unique_ptr<KafkaReader>> open(const KafkaSettings& settings,
                                                   PartitionOf partition_of,
                                                   const std::vector<Position>& from);

  Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                         std::chrono::milliseconds patience) override;
  void wake() override;

 private:
  KafkaReader(const KafkaSettings& settings, PartitionOf partition_of, KafkaHandle handle);

  Result<std::optional<LoggedRecord>> take(KafkaMessage message) const;

  const KafkaSettings& settings_;
  const PartitionOf partition_of_;
  const KafkaHandle handle_;
  const KafkaQueue messages_;
  std::optional<Error> stopped_;  // by what can never be read
};

}  // namespace tilth
