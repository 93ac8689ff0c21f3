// Reads partitions of the topic forward, each from where it is told.

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

namespace tilth {

// How long a broker lets records come together before it answers: brokers that answer for each
// record are busy with little else.
struct KafkaGathering {
  int bytes = 64 << 10;  // or as soon as there is so much
  std::chrono::milliseconds time{50};
};

// Operation: partitions are assigned by hand, and nothing is ever committed to a group. Where the
// log does not hold what comes next, that is an error and never a jump. A broker that was replaced
// as leader and has not heard of it yet ends its log too early: what it says is doubted for a
// while, and reading begins again where it stood. Where records come together, one that somebody
// waits for is fetched next to that, and whatever comes twice counts once.
class KafkaReader final : public LogReader {
 public:
  // For how long a record is wanted by anyone who said so: no one waits longer.
  static constexpr std::chrono::seconds kIsWanted{5};

  // Says in which partition a stream lies.
  using PartitionOf = std::function<int(std::string_view stream)>;

  struct Options {
    // Longer than it takes a broker to hear that it was replaced.
    std::chrono::milliseconds doubt = std::chrono::seconds(20);
    std::optional<KafkaGathering> gathering = {};  // null: each record as soon as it is there
    // Called where there may be something to take, on any thread: for anyone who waits for that
    // elsewhere, and asks next() with no timeout.
    std::function<void()> on_arrival = {};
  };

  // `settings` must outlive it. While `gate` is closed it reads nothing. kInvalid, kUnavailable: no
  // client could be made.
  static Result<std::unique_ptr<KafkaReader>> open(const KafkaSettings& settings,
                                                   PartitionOf partition_of,
                                                   const std::vector<Position>& from,
                                                   std::shared_ptr<ReadingGate> gate,
                                                   const Options& options);

  ~KafkaReader() override;

  // Whether somebody waits for records that next() fetches at once, if it is asked again shortly.
  bool is_in_a_hurry() const { return !wanted_.empty(); }

  // To be told of this node's own records, which it reads from there where they come next. Good
  // also when the reader is gone. Threads: any.
  std::shared_ptr<OwnRecords> own_records() const { return own_; }

  Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                         std::chrono::milliseconds timeout) override;
  void wake() override;
  void prefetch_now(const Position& position) override;
  // Leaps where that is cheaper than to read what lies between.
  void skip_to(const Position& position) override;

 private:
  using Steady = std::chrono::steady_clock;
  // That a partition ends before what was read of it, as it was said from the one time to the
  // other.
  struct Doubt {
    Steady::time_point since, last;
  };
  struct Wanted {
    std::int64_t until;              // the last one
    Steady::time_point since, last;  // when somebody said so
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
  Status look_for_what_comes_next(int partition);

  const KafkaSettings& settings_;
  const PartitionOf partition_of_;
  const std::shared_ptr<ReadingGate> gate_;
  const Options options_;
  std::map<int, std::int64_t> next_;  // by partition
  std::map<int, Wanted> wanted_;      // by partition
  std::map<int, Doubt> doubts_;
  std::optional<Error> stopped_;     // by what can never be read
  std::size_t most_waiting_ = 0;     // messages that were fetched ahead, since it was woken
  std::atomic<bool> woken_ = false;  // and has not answered that yet
  std::mutex mutex_;                 // guards the replacing of the two that follow
  KafkaHandle handle_;
  KafkaQueue messages_;
  KafkaMessage kept_;  // it came when the gate was closed
  const std::shared_ptr<OwnRecords> own_;
  std::unique_ptr<Prefetcher> prompt_;  // null: no one ever waited
};

}  // namespace tilth
