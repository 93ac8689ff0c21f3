// Fetches at once what somebody waits for, next to a client that lets records come together.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>

#include "events/log/event_log.h"
#include "infra/kafka/client/kafka_client.h"

namespace tilth {

// Operation: a client of its own, which brokers answer for each record. It fetches the partitions
// that were asked for lately, each from where that was asked on, and no other.
//
// Threads: one; `wake` is called on librdkafka's.
class Prefetcher {
 public:
  using Steady = std::chrono::steady_clock;

  // `settings` must outlive it. `wake` hears whenever there may be something to take.
  //
  //   kInvalid  no client could be made.
  static Result<std::unique_ptr<Prefetcher>> start(const KafkaSettings& settings,
                                                   std::function<void()> wake);
  ~Prefetcher();

  // Fetches what lies at `from` and behind it, if it does not do so already.
  void fetch(const Position& from);

  // Lets go of what was not asked for lately.
  void rest();
  // Of a partition: nothing that it has fetched of it comes any more.
  void let_go(int partition);

  // What has come, without gaps from where its partition was asked for; null where there is
  // nothing. Of a trouble it lets go and does not tell: anyone who reads the log next to it meets
  // it, too.
  KafkaMessage take();

 private:
  using Topic = std::unique_ptr<rd_kafka_topic_t, KafkaDeleter<rd_kafka_topic_destroy>>;

  Prefetcher(KafkaHandle handle, Topic topic, std::function<void()> wake);

  const std::function<void()> wake_;
  const KafkaHandle handle_;
  const Topic topic_;
  const KafkaQueue messages_;
  std::map<int, Steady::time_point> asked_;  // when last, by partition
};

}  // namespace tilth
