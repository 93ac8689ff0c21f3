// Checks that a topic is still what it was: neither truncated nor recreated.

#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "infra/kafka/client/kafka_client.h"
#include "infra/kafka/read/reading_gate.h"
#include "infra/kafka/topic/first_record.h"

namespace tilth {

// Operation: once a second it queries where the partitions begin, and whether one of them still has
// the record that was its first: a recreated topic of the same name begins at a later time. If not,
// it shuts the gate, so that no reader continues as if nothing had happened.
//
// Threads: one of its own. Destroying it waits for a query in flight.
class TopicWatch {
 public:
  // Receives the id of the first record once there is one; returns an error if that belongs to
  // another topic.
  using OnFirst = std::function<Status(const std::string& id)>;

  // `asker` and `settings` must outlive it.
  TopicWatch(rd_kafka_t* asker, const KafkaSettings& settings, int partitions, int watched,
             OnFirst on_first, std::shared_ptr<ReadingGate> gate);
  ~TopicWatch();

 private:
  void run(const std::stop_token& stop);
  Status look();
  Status look_for_the_first();

  rd_kafka_t* const asker_;
  const KafkaSettings& settings_;
  const int partitions_;
  const int watched_;  // the partition whose first record is known
  const OnFirst on_first_;
  const std::shared_ptr<ReadingGate> gate_;
  std::optional<FirstRecord> first_;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;
};

}  // namespace tilth
