// Queries where a partition ends, for any number of callers at once.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "events/log/event_log.h"
#include "infra/kafka/client/kafka_client.h"

namespace tilth {

// Operation: one query at a time is in flight. Its result goes to all callers that asked before it
// began; calls that arrive meanwhile share the next one. Each partition has its own KafkaEnds, so
// that a leader that hangs delays no other partition.
//
// Threads: ask() from any; one thread of its own waits for the responses and passes them to `run`.
class KafkaEnds {
 public:
  using Deliver = std::function<void(std::function<void()>)>;

  // `client` must outlive it.
  KafkaEnds(rd_kafka_t* client, std::string topic, int partition, Deliver deliver);
  ~KafkaEnds() { stop(); }

  void ask(EventLog::OnEnd done);

  // Completes the calls that still wait; later ones get kUnavailable.
  void stop();

 private:
  using Waiting = std::vector<EventLog::OnEnd>;

  void run();
  void answer(Waiting waiting);

  rd_kafka_t* const client_;
  const std::string topic_;
  const int partition_;
  const Deliver deliver_;

  std::mutex mutex_;  // guards the two that follow
  Waiting waiting_;
  bool stopping_ = false;
  std::condition_variable asked_;
  std::thread thread_;
};

}  // namespace tilth
