// What this node appended itself and Kafka has acknowledged, for one reader: it need not wait until
// a broker hands out what is known already, nor decode it.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "events/log/event_log.h"

namespace tilth {

// Each offset has one record for ever. Where an acknowledged one lies at an offset at which another
// was read, the topic is not the one that has been read.
//
// Threads: tell() from any, all else is the reader's.
class OwnRecords {
 public:
  OwnRecords(std::string topic, std::function<void()> wake)
      : topic_(std::move(topic)), wake_(std::move(wake)) {}

  // `record` lies at `position`, for good. More than a reader takes in time is forgotten, and so is
  // one that is told after a later one of its partition: it is read as all others are.
  void tell(const Position& position, std::shared_ptr<const Record> record);

  // The one that lies just where a partition goes on; none where another's lies between, which has
  // to be read first. `next` says for each partition that is read where that is.
  //
  //   kLost  one of them lies where another was read.
  Result<std::optional<LoggedRecord>> take(const std::map<int, std::int64_t>& next);

  // Up to where partitions have to be read before what was told of can be taken, as the last take()
  // found: offsets, by partition.
  const std::map<int, std::int64_t>& lacks() const { return lacks_; }

  // What the reader has read, wherever it came from.
  //
  //   kLost  another one was read there before.
  Status keep_in_mind(const Position& position, std::string_view id);

  // The reader is gone.
  void close();

 private:
  static constexpr std::size_t kMost = 4'096, kMostInMind = 512;  // records, of each partition

  using Told = std::pair<std::int64_t, std::shared_ptr<const Record>>;

  Status compare(const Position& position, std::string_view id) const;

  const std::string topic_;
  // The newest of each partition: offsets in order, and hashes of ids.
  std::map<int, std::deque<std::pair<std::int64_t, std::size_t>>> read_;
  std::map<int, std::int64_t> lacks_;

  std::mutex mutex_;  // guards what follows
  std::function<void()> wake_;
  std::map<int, std::deque<Told>> told_;  // by partition, in the order of offsets
  std::atomic<bool> any_ = false;
};

}  // namespace tilth
