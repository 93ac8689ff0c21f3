// The topic that holds the history: made as it must be, and refused if it would lose something.

#pragma once

#include <chrono>
#include <string>

#include "infra/kafka/client/kafka_client.h"

namespace tilth {

struct KafkaTopicFacts {
  int partitions = 0;
  std::string cluster;  // Kafka's id of the whole cluster
};

// Makes the settings' topic where it is missing: on three brokers, of which two must have a record
// before it is acknowledged, or on as many as there are. Checks one that is there, if it is to keep
// its records for ever. Waits for brokers that do not answer, up to `timeout`.
//
//   kUnavailable  no broker answers, or the topic cannot be made; the message says why.
//   kInvalid      the topic would lose records, or cannot take any: the message says which setting.
Result<KafkaTopicFacts> ensure_kafka_topic(rd_kafka_t* client, const KafkaSettings& settings,
                                           std::chrono::milliseconds timeout);

}  // namespace tilth
