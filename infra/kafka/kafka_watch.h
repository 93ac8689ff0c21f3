// Looks whether a topic is still what it was: neither cut nor made anew.

#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "infra/kafka/first_record.h"
#include "infra/kafka/kafka_client.h"
#include "infra/kafka/reading_gate.h"

namespace tilth {

// Operation: once a second it asks where the partitions begin, and whether one of them still has
// the record that was its first: a topic of the same name that is made anew begins later. If not,
// it shuts the gate, and nobody reads on as if nothing had happened.
//
// Threads: one of its own. Destroying it waits for a question that is under way.
class KafkaWatch {
 public:
  // Hears the id of the first record once there is one; an error says that it is another's.
  using OnFirst = std::function<Status(const std::string& id)>;

  // `asker` and `settings` must outlive it.
  KafkaWatch(rd_kafka_t* asker, const KafkaSettings& settings, int partitions, int watched,
             OnFirst on_first, std::shared_ptr<ReadingGate> gate);
  ~KafkaWatch();

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
