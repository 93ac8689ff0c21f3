#include "infra/kafka/kafka_offsets.h"

namespace tilth {

Result<std::map<int, std::int64_t>> ask_kafka_offsets(rd_kafka_t* client, const std::string& topic,
                                                      const std::set<int>& partitions,
                                                      KafkaOffset which,
                                                      std::chrono::milliseconds patience) {
  std::map<int, std::int64_t> offsets;
  if (partitions.empty()) return offsets;
  const KafkaPartitions asked(
      rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const int partition : partitions) {
    rd_kafka_topic_partition_list_add(asked.get(), topic.c_str(), partition)->offset =
        static_cast<std::int64_t>(which);
  }
  constexpr auto kWhat = "Kafka does not tell where its log ends";
  const auto code = rd_kafka_offsets_for_times(client, asked.get(), milliseconds_of(patience));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_unavailable(kWhat, code);
  for (int i = 0; i < asked->cnt; ++i) {
    const auto& told = asked->elems[i];
    if (told.err != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_unavailable(kWhat, told.err);
    if (told.offset < 0 && static_cast<std::int64_t>(which) > 0) {  // nothing is as new as that
      return ask_kafka_offsets(client, topic, partitions, KafkaOffset::kEnd, patience);
    }
    if (told.offset < 0) return kafka_unavailable(kWhat, RD_KAFKA_RESP_ERR__NO_OFFSET);
    offsets[told.partition] = told.offset;
  }
  return offsets;
}

std::set<int> all_partitions(int count) {
  std::set<int> all;
  for (int partition = 0; partition < count; ++partition) all.insert(partition);
  return all;
}

Status find_beginnings(rd_kafka_t* client, const std::string& topic, int partitions,
                       std::chrono::milliseconds patience) {
  const auto first = ask_kafka_offsets(client, topic, all_partitions(partitions),
                                       KafkaOffset::kBeginning, patience);
  if (!first) return first.error();
  for (const auto& [partition, offset] : *first) {
    if (offset == 0) continue;
    return Error{ErrorCode::kLost, "The topic " + topic + " no longer holds all of its history: " +
                                       "its partition " + std::to_string(partition) +
                                       " begins with offset " + std::to_string(offset) + "."};
  }
  return kDone;
}

}  // namespace tilth
