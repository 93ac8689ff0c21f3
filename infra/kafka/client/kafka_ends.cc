#include "infra/kafka/client/kafka_ends.h"

#include <utility>

#include "api/platform/thread_name.h"
#include "infra/kafka/client/kafka_offsets.h"

namespace tilth {
namespace {

constexpr std::chrono::seconds kTimeout{2};

}  // namespace

KafkaEnds::KafkaEnds(rd_kafka_t* client, std::string topic, int partition, Deliver deliver)
    : client_(client),
      topic_(std::move(topic)),
      partition_(partition),
      deliver_(std::move(deliver)),
      thread_([this] { run(); }) {}

void KafkaEnds::ask(EventLog::OnEnd done) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      waiting_.push_back(std::move(done));
      asked_.notify_one();
      return;
    }
  }
  deliver_([done = std::move(done)] {
    done(Error{ErrorCode::kUnavailable, "The event log is closing."});
  });
}

void KafkaEnds::run() {
  name_thread("log ends");
  while (true) {
    Waiting waiting;
    {
      std::unique_lock lock(mutex_);
      asked_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      waiting.swap(waiting_);
    }
    answer(std::move(waiting));
  }
}

void KafkaEnds::answer(Waiting waiting) {
  const auto ends = ask_kafka_offsets(client_, topic_, {partition_}, KafkaOffset::kEnd, kTimeout);
  const auto end = ends ? Result<std::int64_t>(ends->at(partition_)) : ends.error();
  deliver_([waiting = std::move(waiting), end] {
    for (const auto& done : waiting) done(end);
  });
}

void KafkaEnds::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

}  // namespace tilth
