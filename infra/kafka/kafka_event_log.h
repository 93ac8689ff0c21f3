// The event log on Kafka: any number of nodes share it, and none of them leads.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "infra/kafka/client/kafka_client.h"
#include "infra/kafka/client/kafka_ends.h"
#include "infra/kafka/client/kafka_settings.h"
#include "infra/kafka/read/kafka_reader.h"
#include "infra/kafka/read/kafka_tail.h"
#include "infra/kafka/read/reading_gate.h"
#include "infra/kafka/topic/topic_watch.h"
#include "infra/kafka/write/kafka_producer.h"

namespace tilth {

// Operation: a record is one message of the topic, in the partition of its stream. Refused records
// stay in the log; readers tell which they are. Who feeds whom:
//
//   append() ──► KafkaProducer ──acknowledged──► OwnRecords ──┐ this node's own, at once
//                     │                                       ▼
//                     ▼            brokers ──batches────► KafkaReader ──► KafkaTail ──┬─► TailReader
//                   topic ───────────┤                        ▲        (one a node)   ├─► TailReader
//                     │              └──each record──► Prefetcher      newest records └─► …
//                     │                                (only while somebody waits)
//                     ├──older records──► KafkaReader of one TailReader, until it has caught up
//                     ├──ends──────────► KafkaEnds, one a partition ──► end()
//                     └──first record──► TopicWatch ──shuts──► ReadingGate, which all readers pass
//
// Crash: a record whose Position was handed out survives the loss of a minority of its brokers.
class KafkaEventLog final : public EventLog {
 public:
  // Makes the topic if it is missing. Waits up to `timeout` for brokers that do not answer.
  // Errors: make_kafka_handle()'s, ensure_kafka_topic()'s, and kLost: its first records are gone.
  static Result<std::unique_ptr<KafkaEventLog>> open(
      KafkaSettings settings, KafkaProducerWatch watch = {},
      std::chrono::milliseconds timeout = std::chrono::seconds(10));
  ~KafkaEventLog() override;

  void append(Record record, OnAppended done) override;
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override;
  void end(int partition, OnEnd done) override;
  int partitions() const override { return partitions_; }
  // That nothing is acknowledged; or of the last append, if that was lately: no one else tries.
  std::string trouble() const override;

  // The same log for anyone who goes on following it, all with one client once they have caught up.
  // Brokers answer that for many records at once, and not for each, unless somebody waits for one.
  // Followers find records that came together; deciders find this node's own as soon as they are
  // acknowledged.
  EventLog& for_followers() { return followers_; }
  EventLog& for_deciders() { return deciders_; }

  // Where the records begin that were appended at `time` or later, by the brokers' clocks.
  Result<std::vector<Position>> since(Timestamp time) const;

  // From now on its readers read nothing, and append() is refused, while somebody fills it through
  // producer(). Waits until what is under way has ended. kUnavailable: it does not end.
  Status hold(std::chrono::milliseconds timeout);
  void let_go() { gate_->open(); }

  // The id of the first event of a partition; empty while there is none.
  Result<std::string> first_id(int partition) const;

  // From now on looks whether the topic is still the one whose `partition` begins with the event
  // that `on_first` hears of. If it is not, its readers end with kLost, and all else is refused.
  void watch(int partition, TopicWatch::OnFirst on_first);

  // Kafka's own id of the cluster.
  const std::string& cluster() const { return cluster_; }

  KafkaProducer& producer() { return *producer_; }

 private:
  KafkaEventLog(std::unique_ptr<KafkaSettings> settings, KafkaHandle asker, int partitions,
                std::string cluster, std::unique_ptr<KafkaProducer> producer);

  class AtTheTail final : public EventLog {
   public:
    AtTheTail(KafkaEventLog& log, std::chrono::milliseconds linger) : log_(log), linger_(linger) {}
    void append(Record record, OnAppended done) override;
    Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override;
    void end(int partition, OnEnd done) override;
    int partitions() const override { return log_.partitions(); }
    std::string trouble() const override;

   private:
    KafkaEventLog& log_;
    const std::chrono::milliseconds linger_;
  };

  // From where somebody has read before.
  Result<std::unique_ptr<LogReader>> read_on(const std::vector<Position>& from);
  Result<KafkaTail*> tail();
  std::optional<Error> refuses() const;
  // How an append ended: what it says of the brokers, and to readers.
  void heard(const Result<Position>& end, const std::shared_ptr<const Record>& own);

  const std::unique_ptr<const KafkaSettings> settings_;  // where the handles look for it
  const KafkaHandle asker_;  // of its own: no question waits behind an append
  const int partitions_;
  const std::string cluster_;
  const std::unique_ptr<KafkaProducer> producer_;
  const std::shared_ptr<ReadingGate> gate_ = std::make_shared<ReadingGate>();
  std::vector<std::unique_ptr<KafkaEnds>> ends_;  // by partition
  std::unique_ptr<TopicWatch> watch_;
  std::mutex making_tail_;
  mutable std::mutex mutex_;  // guards the three that follow
  std::string trouble_;
  std::chrono::steady_clock::time_point heard_at_;
  std::unique_ptr<KafkaTail> tail_;                                     // null: no one follows
  std::atomic<int> under_way_ = 0;                                      // appends
  std::atomic<std::chrono::steady_clock::time_point> acknowledged_at_;  // or since when they wait
  AtTheTail followers_{*this, KafkaGathering().time}, deciders_{*this, {}};
};

}  // namespace tilth
