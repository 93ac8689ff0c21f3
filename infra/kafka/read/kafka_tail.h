// The newest records of the topic, read once for all followers on this node.

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

// Operation: one client, which fetches records in batches; this node's own are available as soon as
// they are acknowledged. It has no thread: a follower that wants records reads them for all.
// Records that all followers have taken are soon evicted, and a follower that stops reading is left
// behind: it reads older records with a client of its own until it has caught up.
//
// Threads: any.
class KafkaTail {
 public:
  // How far a follower has read.
  struct Place {
    std::map<int, std::int64_t> next;                  // by partition
    std::uint64_t number = 0;                          // of the next record in the tail
    std::uint64_t troubles = 0;                        // that it has received
    std::chrono::steady_clock::time_point asked = {};  // when it last called take()
  };
  struct Taken {
    std::vector<LoggedRecord> records;
    bool missed = false;        // the next record is not kept any more
    bool prefetch_now = false;  // a follower must call again shortly, to prefetch a record
  };
  // A follower that waits.
  struct Listener {
    std::condition_variable called = {};
    bool woken = false;  // guarded by the tail
  };

  // Reads from `from` on, which names all partitions. `settings` must outlive it. Errors:
  // KafkaReader::open()'s.
  static Result<std::unique_ptr<KafkaTail>> open(const KafkaSettings& settings,
                                                 KafkaReader::PartitionOf partition_of,
                                                 const std::vector<Position>& from,
                                                 std::shared_ptr<ReadingGate> gate,
                                                 const KafkaGathering& gathering = {},
                                                 std::shared_ptr<OwnerKeys> keys = {});

  // This node appended `record`, and it is durable at `position`.
  void add_own(const Position& position, std::shared_ptr<const Record> record) {
    own_->add_own(position, std::move(record));
  }

  // Joins if everything after `place` is kept; returns whether it is. The follower then reads here,
  // until leave().
  bool join(Place& place);
  void leave(Place& place);
  // Whether everything from `next` on is kept, and the tail has read that far: then the positions
  // need no check.
  bool knows(const std::vector<Position>& next);

  // The next records at a place that has joined, at most `limit`; advances the place. Errors:
  // KafkaReader::next()'s; each follower gets a temporary error once.
  Result<Taken> take(Place& place, std::size_t limit);

  // Drops what it keeps: followers that still want some of it read it from the brokers.
  void forget_all();

  // As KafkaReader::prefetch_now().
  void prefetch_now(const Position& position);

  // A counter that increases when there may be something to take.
  std::uint64_t wakes() const;
  // Waits until wakes() is more than `seen`, or for wake(), or until `until`.
  void wait(std::uint64_t seen, Listener& listener, std::chrono::steady_clock::time_point until);
  // Waits only for wake(), or until `until`.
  void rest(Listener& listener, std::chrono::steady_clock::time_point until);
  void wake(Listener& listener);
  // Whether it was woken since the last call.
  bool take_woken(Listener& listener);

 private:
  explicit KafkaTail(const std::vector<Position>& from);

  void wake_all();
  void read_on(std::chrono::steady_clock::time_point now);
  void forget();

  mutable std::mutex waking_;  // guards the two that follow, and the listeners' `woken`
  std::uint64_t wakes_ = 0;
  std::vector<Listener*> waiting_;

  std::mutex mutex_;  // guards what follows
  std::deque<LoggedRecord> records_;
  std::uint64_t first_ = 0;                // number of the first of them
  std::size_t bytes_ = 0;                  // of them
  std::map<int, std::int64_t> kept_from_;  // by partition, without gaps up to next_
  std::map<int, std::int64_t> next_;
  std::set<const Place*> joined_;
  std::optional<Error> trouble_;  // the last one
  std::uint64_t troubles_ = 0;
  std::shared_ptr<OwnRecords> own_;
  std::unique_ptr<KafkaReader> source_;  // last: it calls wake_all()
};

}  // namespace tilth
