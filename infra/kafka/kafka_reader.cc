#include "infra/kafka/kafka_reader.h"

#include <string>
#include <utility>

#include "infra/kafka/record_message.h"

namespace tilth {
namespace {

std::string place(const rd_kafka_message_t& message) {
  return "partition " + std::to_string(message.partition) + ", offset " +
         std::to_string(message.offset);
}

}  // namespace

Result<std::unique_ptr<KafkaReader>> KafkaReader::open(const KafkaSettings& settings,
                                                       PartitionOf partition_of,
                                                       const std::vector<Position>& from) {
  auto handle = make_kafka_handle(RD_KAFKA_CONSUMER, settings,
                                  {{"group.id", "tilth"},
                                   {"enable.auto.commit", "false"},
                                   {"enable.auto.offset.store", "false"},
                                   {"auto.offset.reset", "error"},
                                   {"check.crcs", "true"},
                                   {"fetch.wait.max.ms", "500"},
                                   {"fetch.error.backoff.ms", "50"},
                                   {"queued.max.messages.kbytes", "16384"}});
  if (!handle) return handle.error();
  rd_kafka_poll_set_consumer(handle->get());
  const KafkaPartitions assigned(rd_kafka_topic_partition_list_new(static_cast<int>(from.size())));
  for (const auto& [partition, offset] : from) {
    rd_kafka_topic_partition_list_add(assigned.get(), settings.topic.c_str(), partition)->offset =
        offset;
  }
  const auto code = rd_kafka_assign(handle->get(), assigned.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_unavailable("Kafka cannot be read", code);
  return std::unique_ptr<KafkaReader>(
      new KafkaReader(settings, std::move(partition_of), std::move(*handle)));
}

KafkaReader::KafkaReader(const KafkaSettings& settings, PartitionOf partition_of,
                         KafkaHandle handle)
    : settings_(settings),
      partition_of_(std::move(partition_of)),
      handle_(std::move(handle)),
      messages_(rd_kafka_queue_get_consumer(handle_.get())) {}

Result<std::vector<LoggedRecord>> KafkaReader::next(std::size_t limit,
                                                    std::chrono::milliseconds patience) {
  std::vector<LoggedRecord> found;
  if (stopped_) return *stopped_;
  while (found.size() < limit) {
    // One by one: a batch would wait until it is full.
    const int wait = found.empty() ? milliseconds_of(patience) : 0;
    KafkaMessage message(rd_kafka_consume_queue(messages_.get(), wait));
    if (!message) break;
    auto taken = take(std::move(message));
    if (!taken) {
      if (taken.error().code != ErrorCode::kUnavailable) stopped_ = taken.error();
      if (found.empty()) return taken.error();
      break;
    }
    if (!*taken) break;
    found.push_back(std::move(**taken));
  }
  return found;
}

// Nothing for a trouble that passes by itself.
Result<std::optional<LoggedRecord>> KafkaReader::take(KafkaMessage message) const {
  if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
      message->err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE) {
    return Error{ErrorCode::kLost, "The topic " + settings_.topic +
                                       " no longer holds what comes next: " +
                                       rd_kafka_message_errstr(message.get()) + "."};
  }
  if (message->err == RD_KAFKA_RESP_ERR__BAD_MSG) {
    return Error{ErrorCode::kDamaged, "The topic " + settings_.topic + " cannot be read: " +
                                          rd_kafka_message_errstr(message.get()) + "."};
  }
  if (message->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
      message->err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
    return kafka_unavailable("The topic " + settings_.topic, message->err);
  }
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return std::optional<LoggedRecord>();
  auto record = record_of(*message);
  if (!record) {
    return Error{ErrorCode::kDamaged, "What lies at " + place(*message) +
                                          " is no record of Tilth: " + record.error().message +
                                          "."};
  }
  if (partition_of_(record->stream) != message->partition) {
    return Error{ErrorCode::kDamaged, "The record at " + place(*message) +
                                          " belongs into partition " +
                                          std::to_string(partition_of_(record->stream)) +
                                          ": the number of the topic's partitions was changed."};
  }
  return std::optional(LoggedRecord{{message->partition, message->offset}, std::move(*record)});
}

void KafkaReader::wake() { rd_kafka_queue_yield(messages_.get()); }

}  // namespace tilth
