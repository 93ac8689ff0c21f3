// Asks where a partition ends, for as many callers at once as there are.

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

// Operation: one question at a time is under way, and answers all who had asked before it began;
// anyone who asks meanwhile is part of the next one. Each partition has one of these, so that a
// leader that hangs holds up no one else.
//
// Threads: ask() from any; one thread of its own waits for the answers and gives them to `tell`.
class KafkaEnds {
 public:
  using Tell = std::function<void(std::function<void()>)>;

  // `client` must outlive it.
  KafkaEnds(rd_kafka_t* client, std::string topic, int partition, Tell tell);
  ~KafkaEnds() { stop(); }

  void ask(EventLog::OnEnd done);

  // Anyone who still waits is told kUnavailable.
  void stop();

 private:
  using Waiting = std::vector<EventLog::OnEnd>;

  void run();
  void answer(Waiting waiting);

  rd_kafka_t* const client_;
  const std::string topic_;
  const int partition_;
  const Tell tell_;

  std::mutex mutex_;  // guards the two that follow
  Waiting waiting_;
  bool stopping_ = false;
  std::condition_variable asked_;
  std::thread thread_;
};

}  // namespace tilth
