#include "infra/kafka/kafka_offsets.h"

#include <thread>

namespace tilth {
namespace {

using Offsets = std::map<int, std::int64_t>;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenTries{100};

// A client that was told so once says it in words of its own.
Error does_not_tell(rd_kafka_resp_err_t code) {
  const bool unknown = code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
  return kafka_unavailable("Kafka does not tell where its log ends",
                           unknown ? RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART : code);
}

Result<Offsets> ask_once(rd_kafka_t* client, const std::string& topic,
                         const std::set<int>& partitions, KafkaOffset which,
                         std::chrono::milliseconds patience) {
  Offsets offsets;
  const KafkaPartitions asked(
      rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const int partition : partitions) {
    rd_kafka_topic_partition_list_add(asked.get(), topic.c_str(), partition)->offset =
        static_cast<std::int64_t>(which);
  }
  const auto code = rd_kafka_offsets_for_times(client, asked.get(), milliseconds_of(patience));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return does_not_tell(code);
  for (int i = 0; i < asked->cnt; ++i) {
    const auto& told = asked->elems[i];
    if (told.err != RD_KAFKA_RESP_ERR_NO_ERROR) return does_not_tell(told.err);
    if (told.offset < 0 && static_cast<std::int64_t>(which) > 0) {  // nothing is as new as that
      return ask_once(client, topic, partitions, KafkaOffset::kEnd, patience);
    }
    if (told.offset < 0) return does_not_tell(RD_KAFKA_RESP_ERR__NO_OFFSET);
    offsets[told.partition] = told.offset;
  }
  return offsets;
}

}  // namespace

Result<Offsets> ask_kafka_offsets(rd_kafka_t* client, const std::string& topic,
                                  const std::set<int>& partitions, KafkaOffset which,
                                  std::chrono::milliseconds patience) {
  if (partitions.empty()) return Offsets();
  const auto until = Steady::now() + patience;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
    auto offsets = ask_once(client, topic, partitions, which, left);
    if (offsets || Steady::now() + kBetweenTries >= until) return offsets;
    std::this_thread::sleep_for(kBetweenTries);
  }
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
