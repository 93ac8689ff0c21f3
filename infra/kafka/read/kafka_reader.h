// Reads partitions of the topic forward, each from a given offset.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "infra/kafka/client/kafka_client.h"
#include "infra/kafka/read/own_records.h"
#include "infra/kafka/read/prefetcher.h"
#include "infra/kafka/read/reading_gate.h"
#include "infra/keys/owner_keys.h"

namespace tilth {

// How long a broker collects records before it responds: brokers that respond for each record are
// busy with little else.
struct KafkaGathering {
  int bytes = 64 << 10;  // or as soon as there are so many
  std::chrono::milliseconds time{50};
};

// Operation: partitions are assigned manually, and nothing is ever committed to a group. If the log
// does not have the next record, that is an error and never a jump. A broker that was replaced as
// leader and does not know it yet reports an end that is too early: the reader doubts it for a
// while, and reads again from the same place. When records are fetched in batches, a record that a
// caller waits for is fetched separately, and a record that arrives twice counts once.
class KafkaReader final : public LogReader {
 public:
  // For how long a request by prefetch_now() is valid: no caller waits longer.
  static constexpr std::chrono::seconds kIsWanted{5};

  // Returns the partition of a stream.
  using PartitionOf = std::function<int(std::string_view stream)>;

  struct Options {
    // Longer than it takes a broker to learn that it was replaced.
    std::chrono::milliseconds doubt = std::chrono::seconds(20);
    std::optional<KafkaGathering> gathering = {};  // null: each record as soon as it is available
    // Called on any thread when there may be something to take: for a caller that waits elsewhere
    // and calls next() without a timeout.
    std::function<void()> on_arrival = {};
    // Open what is sealed in records. Null: the log is not sealed, and such a record is damage.
    std::shared_ptr<OwnerKeys> keys = {};
    // Called with each sealed record, which is then read as it is, not opened.
    std::function<void()> on_sealed = {};
  };

  // `settings` must outlive it. While `gate` is closed it reads nothing. kInvalid, kUnavailable: no
  // client could be created.
  static Result<std::unique_ptr<KafkaReader>> open(const KafkaSettings& settings,
                                                   PartitionOf partition_of,
                                                   const std::vector<Position>& from,
                                                   std::shared_ptr<ReadingGate> gate,
                                                   const Options& options);

  ~KafkaReader() override;

  // Whether a caller waits for records that next() will prefetch if it is called again shortly.
  bool is_in_a_hurry() const { return !wanted_.empty(); }

  // Receives this node's own records, which the reader takes from there when they come next. Valid
  // even when the reader is gone. Threads: any.
  std::shared_ptr<OwnRecords> own_records() const { return own_; }

  Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                         std::chrono::milliseconds timeout) override;
  void wake() override;
  void prefetch_now(const Position& position) override;
  // Seeks if that is cheaper than reading the records in between.
  void skip_to(const Position& position) override;

 private:
  using Steady = std::chrono::steady_clock;
  // A broker's claim that a partition ends before what was read of it: when it was first and last
  // made.
  struct Doubt {
    Steady::time_point since, last;
  };
  struct Wanted {
    std::int64_t until;              // offset of the last one
    Steady::time_point since, last;  // when it was requested
  };

  KafkaReader(const KafkaSettings& settings, PartitionOf partition_of,
              const std::vector<Position>& from, std::shared_ptr<ReadingGate> gate,
              const Options& options);

  Status begin();
  void look_up();
  Result<std::optional<LoggedRecord>> take_own();
  Result<std::optional<LoggedRecord>> advance(LoggedRecord logged);
  Result<std::optional<LoggedRecord>> pass_over(const Position& position, std::string_view id);
  void fetch_what_is_wanted();
  KafkaMessage receive(std::chrono::milliseconds timeout);
  KafkaMessage fetched_at_once();
  void keep_it_fetching();
  Result<std::optional<LoggedRecord>> take(KafkaMessage message);
  Status unseal(const rd_kafka_message_t& message, Record& record) const;
  Status look_for_what_comes_next(int partition);

  const KafkaSettings& settings_;
  const PartitionOf partition_of_;
  const std::shared_ptr<ReadingGate> gate_;
  const Options options_;
  std::map<int, std::int64_t> next_;  // by partition
  std::map<int, Wanted> wanted_;      // by partition
  std::map<int, Doubt> doubts_;
  std::optional<Error> stopped_;     // by a permanent error
  std::size_t most_waiting_ = 0;     // messages fetched ahead since the last extra request
  std::atomic<bool> woken_ = false;  // and next() has not returned since
  std::mutex mutex_;                 // guards the replacement of the two that follow
  KafkaHandle handle_;
  KafkaQueue messages_;
  KafkaMessage kept_;  // it arrived while the gate was closed, or the keys were not at hand
  const std::shared_ptr<OwnRecords> own_;
  std::unique_ptr<Prefetcher> prompt_;  // null: never needed so far
};

}  // namespace tilth
