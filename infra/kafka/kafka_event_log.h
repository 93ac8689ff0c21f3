// An event log on Kafka: any number of nodes share it, and none of them leads.

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
#include "infra/kafka/write/sealed_appends.h"
#include "infra/keys/shared_owner_keys.h"

namespace tilth {

// Operation: a record is one message of the topic, in the partition of its stream. Refused records
// stay in the log; readers detect them. Data flow:
//
//   append() ─► KafkaProducer ─acknowledged─► OwnRecords ─┐ this node's own, at once
//                     │                                   ▼
//                     ▼     ┌──── batches ─────────► KafkaReader ─► KafkaTail ─┬─► TailReader
//                   topic ──┤                             ▲       one a node   ├─► TailReader
//                           ├──── each record ─► Prefetcher                    └─► …
//                           │                    only while somebody waits
//                           ├──── older records ─► KafkaReader of one TailReader that is behind
//                           ├──── ends ─► KafkaEnds, one for each partition ─► end()
//                           └──── first record ─► TopicWatch ─shuts─► ReadingGate of all readers
//
// Crash: a record whose Position was returned survives the loss of a minority of its brokers.
class KafkaEventLog final : public EventLog {
 public:
  // Creates the topic if it is missing. Waits up to `timeout` for brokers that do not respond.
  // Errors: make_kafka_handle()'s, ensure_kafka_topic()'s, and kLost: its first records are gone.
  static Result<std::unique_ptr<KafkaEventLog>> open(
      KafkaSettings settings, KafkaProducerWatch watch = {},
      std::chrono::milliseconds timeout = std::chrono::seconds(10));
  ~KafkaEventLog() override;

  // From now on what names a person is sealed with these keys, and opened with them. Call it before
  // anything else, if the topic is sealed.
  void seal_with(const std::shared_ptr<SharedOwnerKeys>& keys);

  // Whether what names a person is sealed in that partition. False if nothing does.
  Result<bool> has_sealed(int partition);

  void append(Record record, OnAppended done) override;
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override;
  void end(int partition, OnEnd done) override;
  int partitions() const override { return partitions_; }
  // That nothing is acknowledged, or the error of a recent append. An older error expires, because
  // nothing else tests the log.
  std::string trouble() const override;

  // The same log for readers that follow it: once caught up, all share one client. Brokers send it
  // many records at once, not each one, unless a caller waits for one. Followers read records in
  // batches; deciders read this node's own records as soon as they are acknowledged.
  EventLog& for_followers() { return followers_; }
  EventLog& for_deciders() { return deciders_; }

  // The positions of the first records appended at `time` or later, by the brokers' clocks.
  Result<std::vector<Position>> since(Timestamp time) const;

  // From now on its readers read nothing, and append() is refused, while an import fills it through
  // append_held(). Waits until the appends in flight have completed. kUnavailable: they do not.
  Status hold(std::chrono::milliseconds timeout);
  void let_go() { gate_->open(); }

  // The id of the first event of a partition; empty while there is none.
  Result<std::string> first_id(int partition) const;

  // From now on checks that the topic is still the one whose `partition` begins with the event that
  // is passed to `on_first`. If it is not, its readers end with kLost, and all else is refused.
  void watch(int partition, TopicWatch::OnFirst on_first);

  // Kafka's own id of the cluster.
  const std::string& cluster() const { return cluster_; }

  KafkaProducer& producer() { return *producer_; }

  // Appends while it is held, for an import.
  void append_held(Record record, OnAppended done);

  // Drops the records in memory, which hold what is sealed in the topic: an owner was erased.
  void forget_recent();

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

  // kLost: the topic does not hold one of them.
  Status check_held(const std::vector<Position>& from);
  // Reads on from positions that are known to exist.
  Result<std::unique_ptr<LogReader>> read_on(const std::vector<Position>& from);
  Result<KafkaTail*> tail();
  std::optional<Error> refuses() const;
  void produce(const std::shared_ptr<const Record>& own, const SealedJson* sealed, OnAppended done);
  // Notes how an append ended, for trouble() and for the readers of own records.
  void on_outcome(const Result<Position>& end, const std::shared_ptr<const Record>& own);

  const std::unique_ptr<const KafkaSettings> settings_;  // at a stable address for the handles
  const KafkaHandle asker_;  // separate, so that no query waits behind an append
  const int partitions_;
  const std::string cluster_;
  const std::unique_ptr<KafkaProducer> producer_;
  std::shared_ptr<SharedOwnerKeys> keys_;   // null: the topic is not sealed
  std::unique_ptr<SealedAppends> sealing_;  // the same
  const std::shared_ptr<ReadingGate> gate_ = std::make_shared<ReadingGate>();
  std::vector<std::unique_ptr<KafkaEnds>> ends_;  // by partition
  std::unique_ptr<TopicWatch> watch_;
  std::mutex making_tail_;
  mutable std::mutex mutex_;  // guards the three that follow
  std::string trouble_;
  std::chrono::steady_clock::time_point outcome_at_;
  std::unique_ptr<KafkaTail> tail_;                                     // null: no followers yet
  std::atomic<int> under_way_ = 0;                                      // appends
  std::atomic<std::chrono::steady_clock::time_point> acknowledged_at_;  // or since when they wait
  AtTheTail followers_{*this, KafkaGathering().time}, deciders_{*this, {}};
};

}  // namespace tilth
