// The event log on Kafka: any number of nodes share it, and none of them leads.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "events/event_log.h"
#include "infra/kafka/kafka_client.h"
#include "infra/kafka/kafka_ends.h"
#include "infra/kafka/kafka_producer.h"
#include "infra/kafka/kafka_settings.h"

namespace tilth {

// Operation: a record is one message of the topic, in the partition of its stream. Refused records
// stay in the log, and readers tell. See KafkaProducer, KafkaReader and KafkaEnds.
//
// Crash: a record whose Position was handed out survives the loss of a minority of its brokers.
class KafkaEventLog final : public EventLog {
 public:
  // Makes the topic if it is missing. Waits up to `patience` for brokers that do not answer.
  // Errors: make_kafka_handle()'s and ensure_kafka_topic()'s.
  static Result<std::unique_ptr<KafkaEventLog>> open(
      KafkaSettings settings, KafkaProducerWatch watch = {},
      std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~KafkaEventLog() override;

  void append(Record record, OnAppended done) override;
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override;
  void end(int partition, OnEnd done) override;
  int partitions() const override { return partitions_; }

  // Where the records begin that were appended at `time` or later, by the brokers' clocks.
  Result<std::vector<Position>> since(Timestamp time) const;

  // Kafka's own id of the cluster.
  const std::string& cluster() const { return cluster_; }

  KafkaProducer& producer() { return *producer_; }

 private:
  KafkaEventLog(std::unique_ptr<KafkaSettings> settings, KafkaHandle asker, int partitions,
                std::string cluster, std::unique_ptr<KafkaProducer> producer);

  const std::unique_ptr<const KafkaSettings> settings_;  // where the handles look for it
  const KafkaHandle asker_;  // of its own: no question waits behind an append
  const int partitions_;
  const std::string cluster_;
  const std::unique_ptr<KafkaProducer> producer_;
  std::vector<std::unique_ptr<KafkaEnds>> ends_;  // by partition
};

}  // namespace tilth
