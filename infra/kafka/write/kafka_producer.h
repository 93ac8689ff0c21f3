// Sends records to Kafka and reports the outcomes.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "events/log/event_log.h"
#include "infra/kafka/client/kafka_client.h"
#include "infra/keys/sealed_json.h"

namespace tilth {

// The producer's callbacks for metrics. Threads: each is called where appends complete.
struct KafkaProducerWatch {
  std::function<void(std::chrono::nanoseconds)> on_durable = [](std::chrono::nanoseconds) {};
  std::function<void()> on_unknown = [] {};  // an append whose outcome is unknown
  std::function<void()> on_renewed = [] {};  // a client that had failed was replaced
};

// Operation: all in-sync replicas acknowledge a record, and the client numbers its records, so that
// its own retries are stored once. librdkafka before 2.3 can fail as "fatal" after timeouts
// although nothing is lost: then the appends in flight complete as unknown, and a new handle
// replaces the old one.
//
// Threads: append() and post() from any. A stored record completes on the thread of librdkafka that
// received the broker's response, which saves each command a thread switch; all else runs on one
// thread of its own.
//
// Crash: a record that was reported durable is durable; the rest may arrive or not.
class KafkaProducer {
 public:
  using Work = std::function<void()>;

  // `settings` must outlive it. Errors: make_kafka_handle()'s.
  static Result<std::unique_ptr<KafkaProducer>> start(const KafkaSettings& settings,
                                                      KafkaProducerWatch watch);
  ~KafkaProducer();

  // As EventLog::append(). A record without JSON has no value either. `sealed`, if it is not null,
  // takes the place of its JSON.
  void append(int partition, const Record& record, EventLog::OnAppended done,
              const SealedJson* sealed = nullptr);

  // Runs `work` on the producer's own thread.
  void post(Work work);

  // Waits up to `timeout` until nothing is in flight; returns whether nothing is.
  bool wait_until_idle(std::chrono::milliseconds timeout);

  // Completes everything; waits a moment for the appends in flight.
  void stop();

  // Makes the handle fail like the spurious fatal error. For tests.
  void fail_fatally();

 private:
  struct Append;
  struct Client {
    KafkaHandle handle;
    KafkaTopicHandle topic;  // held, so that the first connection asks for its partitions
  };

  KafkaProducer(const KafkaSettings& settings, KafkaProducerWatch watch, Client client);

  static Result<Client> make_client(const KafkaSettings& settings);
  static void prepare(rd_kafka_conf_t* conf);
  static void complete(const rd_kafka_message_t& message) noexcept;
  void run();
  bool run_posted();  // whether there was any work
  void renew();
  static void drain(rd_kafka_t* handle, std::chrono::milliseconds timeout);

  const KafkaSettings& settings_;
  const KafkaProducerWatch watch_;

  std::shared_mutex client_mutex_;  // guards the two that follow
  Client client_;
  KafkaQueue reports_;  // delivery reports; yields when there is other work

  std::mutex mutex_;  // guards posted_
  std::vector<Work> posted_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace tilth
