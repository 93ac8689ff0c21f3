// The topic that holds the history: created with the right settings, and refused if it would lose
// records.

#pragma once

#include <chrono>
#include <string>

#include "infra/kafka/client/kafka_client.h"

namespace tilth {

struct KafkaTopicFacts {
  int partitions = 0;
  std::string cluster;  // Kafka's id of the whole cluster
};

// Creates the settings' topic if it is missing: on three brokers, of which two must have a record
// before it is acknowledged, or on as many as there are. Checks an existing one if it must keep its
// records for ever. Waits for brokers that do not respond, up to `timeout`.
//
//   kUnavailable  no broker responds, or the topic cannot be created; the message says why.
//   kInvalid      the topic would lose records, or cannot take any: the message names the setting.
Result<KafkaTopicFacts> ensure_kafka_topic(rd_kafka_t* client, const KafkaSettings& settings,
                                           std::chrono::milliseconds timeout);

}  // namespace tilth
