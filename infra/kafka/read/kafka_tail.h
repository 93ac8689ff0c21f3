// The newest records of the topic, read once for all who follow it on this node.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "infra/kafka/read/kafka_reader.h"

namespace tilth {

// Operation: one client, in which records come together; this node's own are there as soon as they
// are acknowledged. It has no thread: anyone who wants records takes what has come for all. What
// everybody has taken is soon forgotten, and who asks for nothing is left behind: anyone who needs
// older ones reads them with a client of his own, until he has caught up.
//
// Threads: any.
class KafkaTail {
 public:
  // How far somebody has read.
  struct Place {
    std::map<int, std::int64_t> next;                  // by partition
    std::uint64_t number = 0;                          // of what the tail has read: where to go on
    std::uint64_t troubles = 0;                        // that he has heard of
    std::chrono::steady_clock::time_point asked = {};  // when he took something last
  };
  struct Taken {
    std::vector<LoggedRecord> records;
    bool missed = false;        // what comes next is not kept any more
    bool prefetch_now = false;  // somebody has to ask again shortly, so that it is fetched at once
  };
  // Somebody who waits.
  struct Listener {
    std::condition_variable called = {};
    bool woken = false;  // guarded by the tail
  };

  // What lies at `from` or behind it, which names all partitions. `settings` must outlive it.
  // Errors: KafkaReader::open()'s.
  static Result<std::unique_ptr<KafkaTail>> open(const KafkaSettings& settings,
                                                 KafkaReader::PartitionOf partition_of,
                                                 const std::vector<Position>& from,
                                                 std::shared_ptr<ReadingGate> gate,
                                                 const KafkaGathering& gathering = {});

  // This node appended `record`, and it lies at `position` for good.
  void tell(const Position& position, std::shared_ptr<const Record> record) {
    own_->tell(position, std::move(record));
  }

  // Whether all that comes next for anyone who has read up to `place` is kept; then he goes on
  // here, until leave().
  bool join(Place& place);
  void leave(Place& place);
  // The same, and that it has been read that far: no one needs to ask whether there is such a
  // place.
  bool knows(const std::vector<Position>& next);

  // What comes next at a place that has joined, at most `limit`, and goes on behind it. Errors:
  // KafkaReader::next()'s; a trouble that passes is told to everybody once.
  Result<Taken> take(Place& place, std::size_t limit);

  // As KafkaReader's.
  void prefetch_now(const Position& position);

  // Grows when there may be something to take.
  std::uint64_t stirs() const;
  // Waits until that is more than `seen`, or wake(), or `until`.
  void wait(std::uint64_t seen, Listener& listener, std::chrono::steady_clock::time_point until);
  // Waits for nothing but wake() and `until`.
  void rest(Listener& listener, std::chrono::steady_clock::time_point until);
  void wake(Listener& listener);
  // Whether it was woken since it was asked the last time.
  bool heed(Listener& listener);

 private:
  explicit KafkaTail(const std::vector<Position>& from);

  void stir();
  void read_on(std::chrono::steady_clock::time_point now);
  void forget();

  mutable std::mutex stirring_;  // guards the two that follow, and everybody's `woken`
  std::uint64_t stirs_ = 0;
  std::vector<Listener*> waiting_;

  std::mutex mutex_;  // guards what follows
  std::deque<std::shared_ptr<const LoggedRecord>> records_;
  std::uint64_t first_ = 0;                // number of the first of them
  std::size_t bytes_ = 0;                  // of them
  std::map<int, std::int64_t> kept_from_;  // by partition, without gaps up to next_
  std::map<int, std::int64_t> next_;
  std::set<const Place*> joined_;
  std::optional<Error> trouble_;  // the last one
  std::uint64_t troubles_ = 0;
  std::shared_ptr<OwnRecords> own_;
  std::unique_ptr<KafkaReader> source_;  // last: it calls stir()
};

}  // namespace tilth
