#include "infra/kafka/read/prefetcher.h"

#include <utility>

namespace tilth {
namespace {

// Starting again costs a round trip.
constexpr std::chrono::seconds kUntilItRests{10};

}  // namespace

Result<std::unique_ptr<Prefetcher>> Prefetcher::start(const KafkaSettings& settings,
                                                      std::function<void()> wake) {
  auto handle = make_kafka_consumer(settings, {});
  if (!handle) return handle.error();
  Topic topic(rd_kafka_topic_new(handle->get(), settings.topic.c_str(), nullptr));
  if (!topic) return Error{ErrorCode::kInvalid, settings.topic + " is no name of a topic."};
  return std::unique_ptr<Prefetcher>(
      new Prefetcher(std::move(*handle), std::move(topic), std::move(wake)));
}

Prefetcher::Prefetcher(KafkaHandle handle, Topic topic, std::function<void()> wake)
    : wake_(std::move(wake)),
      handle_(std::move(handle)),
      topic_(std::move(topic)),
      messages_(rd_kafka_queue_new(handle_.get())) {
  call_on_arrival(messages_.get(), &wake_);
}

Prefetcher::~Prefetcher() {
  call_on_arrival(messages_.get(), nullptr);
  for (const auto& [partition, when] : asked_) rd_kafka_consume_stop(topic_.get(), partition);
}

void Prefetcher::fetch(const Position& from) {
  const auto [asked, is_new] = asked_.insert_or_assign(from.partition, Steady::now());
  if (!is_new) return;
  const int failed =
      rd_kafka_consume_start_queue(topic_.get(), from.partition, from.offset, messages_.get());
  if (failed != 0) asked_.erase(asked);
}

void Prefetcher::rest() {
  const auto now = Steady::now();
  std::erase_if(asked_, [&](const auto& of_partition) {
    const auto& [partition, when] = of_partition;
    const bool rests = now - when > kUntilItRests;
    if (rests) rd_kafka_consume_stop(topic_.get(), partition);
    return rests;
  });
}

void Prefetcher::let_go(int partition) {
  if (asked_.erase(partition) > 0) rd_kafka_consume_stop(topic_.get(), partition);
}

// A message after an error may follow a record that did not arrive.
KafkaMessage Prefetcher::take() {
  while (KafkaMessage message{rd_kafka_consume_queue(messages_.get(), 0)}) {
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return message;
    let_go(message->partition);
  }
  return nullptr;
}

}  // namespace tilth
