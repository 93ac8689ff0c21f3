// Where the partitions of a topic begin and end.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "infra/kafka/client/kafka_client.h"

namespace tilth {

// Kafka's numbers for them.
enum class KafkaOffset : std::int64_t { kEnd = -1, kBeginning = -2 };

// The beginnings or the ends of `partitions`, as their leaders report them. An end is past every
// record that was acknowledged by then. Retries for up to `timeout` while leaders change. Threads:
// any.
//
//   kUnavailable  not all of them are known.
Result<std::map<int, std::int64_t>> ask_kafka_offsets(rd_kafka_t* client, const std::string& topic,
                                                      const std::set<int>& partitions,
                                                      KafkaOffset which,
                                                      std::chrono::milliseconds timeout);

// The first records that brokers received at `time` (milliseconds since 1970) or later; the end of
// a partition that has none. Otherwise as above.
Result<std::map<int, std::int64_t>> ask_kafka_offsets_since(rd_kafka_t* client,
                                                            const std::string& topic,
                                                            const std::set<int>& partitions,
                                                            std::int64_t time,
                                                            std::chrono::milliseconds timeout);

// Checks that all of a topic's partitions still begin with their first records.
//
//   kLost         one does not; the message says which.
//   kUnavailable  as above.
Status find_beginnings(rd_kafka_t* client, const std::string& topic, int partitions,
                       std::chrono::milliseconds timeout);

// The numbers of `count` partitions.
std::set<int> all_partitions(int count);

}  // namespace tilth
