#include "infra/kafka/client/kafka_offsets.h"

#include <algorithm>
#include <thread>

namespace tilth {
namespace {

using Offsets = std::map<int, std::int64_t>;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenTries{100};

// A client that has once learned this from a broker reports it with a code of its own.
Error no_offset(rd_kafka_resp_err_t code) {
  const bool unknown = code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
  return kafka_unavailable("Kafka does not tell where its log ends",
                           unknown ? RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART : code);
}

// `which` is a KafkaOffset, or a time: a partition without a record as new as that returns -1.
Result<Offsets> ask_once(rd_kafka_t* client, const std::string& topic,
                         const std::set<int>& partitions, std::int64_t which,
                         std::chrono::milliseconds timeout) {
  Offsets offsets;
  const KafkaPartitions asked(
      rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const int partition : partitions) {
    rd_kafka_topic_partition_list_add(asked.get(), topic.c_str(), partition)->offset = which;
  }
  const auto code = rd_kafka_offsets_for_times(client, asked.get(), milliseconds_of(timeout));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return no_offset(code);
  for (int i = 0; i < asked->cnt; ++i) {
    const auto& found = asked->elems[i];
    if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) return no_offset(found.err);
    if (found.offset < 0 && which < 0) return no_offset(RD_KAFKA_RESP_ERR__NO_OFFSET);
    offsets[found.partition] = found.offset;
  }
  return offsets;
}

Result<Offsets> ask(rd_kafka_t* client, const std::string& topic, const std::set<int>& partitions,
                    std::int64_t which, std::chrono::milliseconds timeout) {
  if (partitions.empty()) return Offsets();
  const auto until = Steady::now() + timeout;
  while (true) {
    // Never negative: that would be for ever.
    const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()),
                               std::chrono::milliseconds(1));
    auto offsets = ask_once(client, topic, partitions, which, left);
    if (offsets || Steady::now() + kBetweenTries >= until) return offsets;
    std::this_thread::sleep_for(kBetweenTries);
  }
}

}  // namespace

Result<Offsets> ask_kafka_offsets(rd_kafka_t* client, const std::string& topic,
                                  const std::set<int>& partitions, KafkaOffset which,
                                  std::chrono::milliseconds timeout) {
  return ask(client, topic, partitions, static_cast<std::int64_t>(which), timeout);
}

Result<Offsets> ask_kafka_offsets_since(rd_kafka_t* client, const std::string& topic,
                                        const std::set<int>& partitions, std::int64_t time,
                                        std::chrono::milliseconds timeout) {
  auto offsets = ask(client, topic, partitions, time, timeout);
  if (!offsets) return offsets;
  std::set<int> older;
  for (const auto& [partition, offset] : *offsets) {
    if (offset < 0) older.insert(partition);
  }
  const auto ends = ask_kafka_offsets(client, topic, older, KafkaOffset::kEnd, timeout);
  if (!ends) return ends.error();
  for (const auto& [partition, end] : *ends) (*offsets)[partition] = end;
  return offsets;
}

std::set<int> all_partitions(int count) {
  std::set<int> all;
  for (int partition = 0; partition < count; ++partition) all.insert(partition);
  return all;
}

Status find_beginnings(rd_kafka_t* client, const std::string& topic, int partitions,
                       std::chrono::milliseconds timeout) {
  const auto first = ask_kafka_offsets(client, topic, all_partitions(partitions),
                                       KafkaOffset::kBeginning, timeout);
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
