// Sends records to Kafka and tells how that ended.

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

namespace tilth {

// What the producer tells for metrics. Threads: each is called from where appends complete.
struct KafkaProducerWatch {
  std::function<void(std::chrono::nanoseconds)> on_durable = [](std::chrono::nanoseconds) {};
  std::function<void()> on_unknown = [] {};  // an append whose outcome no one knows
  std::function<void()> on_renewed = [] {};  // a client that could not go on was replaced
};

// Operation: acknowledged by all copies in sync, numbered by the client, so that its own repeats
// are stored once. librdkafka before 2.3 can end as "fatal" after time-outs with nothing lost: then
// what is under way completes as unknown, and a new handle takes its place.
//
// Threads: append() and post() from any. What was stored is told on the thread of librdkafka that
// heard so from the broker, which saves each command a change of threads; all else on one thread of
// its own.
//
// Crash: what was told durable is; the rest may arrive or not.
class KafkaProducer {
 public:
  using Work = std::function<void()>;

  // `settings` must outlive it. Errors: make_kafka_handle()'s.
  static Result<std::unique_ptr<KafkaProducer>> start(const KafkaSettings& settings,
                                                      KafkaProducerWatch watch);
  ~KafkaProducer();

  // As EventLog::append().
  void append(int partition, const Record& record, EventLog::OnAppended done);

  // Runs `work` on the thread of its own.
  void post(Work work);

  // Whether nothing is under way any more, after waiting up to `timeout` for that.
  bool wait_until_idle(std::chrono::milliseconds timeout);

  // Completes everything, waiting a moment for what is under way.
  void stop();

  // Makes the handle fail as the spurious error does. For tests.
  void fail_fatally();

 private:
  struct Append;

  KafkaProducer(const KafkaSettings& settings, KafkaProducerWatch watch, KafkaHandle handle);

  static Result<KafkaHandle> make_handle(const KafkaSettings& settings);
  static void prepare(rd_kafka_conf_t* conf);
  static void complete(const rd_kafka_message_t& message) noexcept;
  void run();
  bool run_posted();  // whether there was any work
  void renew();
  static void drain(rd_kafka_t* handle, std::chrono::milliseconds timeout);

  const KafkaSettings& settings_;
  const KafkaProducerWatch watch_;

  std::shared_mutex handle_mutex_;  // guards the two that follow
  KafkaHandle handle_;
  KafkaQueue reports_;  // where deliveries are told; yields when there is other work

  std::mutex mutex_;  // guards posted_
  std::vector<Work> posted_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace tilth
