#include "infra/kafka/topic/first_record.h"

#include <algorithm>
#include <chrono>

#include "infra/kafka/client/kafka_offsets.h"
#include "infra/kafka/write/record_message.h"

namespace tilth {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kTimeout{10};

// The next message, past temporary errors.
KafkaMessage next_message(rd_kafka_t* reader) {
  const auto until = Steady::now() + kTimeout;
  KafkaMessage message;
  while (!message && Steady::now() < until) {
    const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()),
                               std::chrono::milliseconds(0));
    message.reset(rd_kafka_consumer_poll(reader, milliseconds_of(left)));
    if (message && message->err != RD_KAFKA_RESP_ERR_NO_ERROR) message.reset();
  }
  return message;
}

}  // namespace

Result<std::optional<FirstRecord>> first_record(rd_kafka_t* asker, const KafkaSettings& settings,
                                                int partition) {
  const auto end =
      ask_kafka_offsets(asker, settings.topic, {partition}, KafkaOffset::kEnd, kTimeout);
  if (!end) return end.error();
  if (end->at(partition) == 0) return std::optional<FirstRecord>();
  const auto reader = make_kafka_consumer(settings, {{"group.id", "tilth"}});
  if (!reader) return reader.error();
  rd_kafka_poll_set_consumer(reader->get());
  const KafkaPartitions assigned(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(assigned.get(), settings.topic.c_str(), partition)->offset = 0;
  rd_kafka_assign(reader->get(), assigned.get());
  const auto message = next_message(reader->get());
  if (!message) {
    return kafka_unavailable("Kafka does not tell the first record of " + settings.topic,
                             RD_KAFKA_RESP_ERR__TIMED_OUT);
  }
  const auto record = record_of(*message);
  if (!record) {
    return Error{ErrorCode::kDamaged, "The first record of " + settings.topic +
                                          " is none of Tilth: " + record.error().message + "."};
  }
  return std::optional(
      FirstRecord{record->envelope.id, rd_kafka_message_timestamp(message.get(), nullptr)});
}

}  // namespace tilth
