// Fetches at once the records that a caller waits for, in addition to a client that fetches in
// batches.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>

#include "events/log/event_log.h"
#include "infra/kafka/client/kafka_client.h"

namespace tilth {

// Operation: a client of its own, to which brokers send each record at once. It fetches only the
// partitions that were requested lately, each from the requested offset on.
//
// Threads: one; `wake` is called on librdkafka's.
class Prefetcher {
 public:
  using Steady = std::chrono::steady_clock;

  // `settings` must outlive it. `wake` is called whenever there may be something to take.
  //
  //   kInvalid  no client could be created.
  static Result<std::unique_ptr<Prefetcher>> start(const KafkaSettings& settings,
                                                   std::function<void()> wake);
  ~Prefetcher();

  // Fetches from `from` on, unless it already does.
  void fetch(const Position& from);

  // Stops fetching the partitions that were not requested lately.
  void rest();
  // Stops fetching a partition: take() returns no more of its records.
  void let_go(int partition);

  // The next message, without gaps from the requested offset of its partition; null if there is
  // none. After an error it stops fetching the partition and does not report it: the other client
  // gets the error, too.
  KafkaMessage take();

 private:
  using Topic = std::unique_ptr<rd_kafka_topic_t, KafkaDeleter<rd_kafka_topic_destroy>>;

  Prefetcher(KafkaHandle handle, Topic topic, std::function<void()> wake);

  const std::function<void()> wake_;
  const KafkaHandle handle_;
  const Topic topic_;
  const KafkaQueue messages_;
  std::map<int, Steady::time_point> asked_;  // last request, by partition
};

}  // namespace tilth
