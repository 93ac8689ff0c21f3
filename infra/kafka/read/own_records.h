// The records that this node appended and Kafka has acknowledged, for one reader: it need not wait
// for a broker to send them, nor decode them.

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

// Each offset has one record for ever. If an acknowledged record is at an offset where another was
// read, the topic is not the one that was read.
//
// Threads: add_own() from any, all else from the reader's.
class OwnRecords {
 public:
  OwnRecords(std::string topic, std::function<void()> wake)
      : topic_(std::move(topic)), wake_(std::move(wake)) {}

  // `record` is durable at `position`. Records that the reader does not take in time are dropped,
  // and so is one that comes after a later one of its partition: the reader gets them from a
  // broker.
  void add_own(const Position& position, std::shared_ptr<const Record> record);

  // A record that is next in its partition; none if another node's record must be read first.
  // `next` has the next offset of each partition that is read.
  //
  //   kLost  one of them is where another was read.
  Result<std::optional<LoggedRecord>> take(const std::map<int, std::int64_t>& next);

  // The last offset, by partition, to read before an own record can be taken, as the last take()
  // found it.
  const std::map<int, std::int64_t>& lacks() const { return lacks_; }

  // Notes what the reader has read, from any source.
  //
  //   kLost  another one was read there before.
  Status keep_in_mind(const Position& position, std::string_view id);

  // The reader is being destroyed.
  void close();

 private:
  static constexpr std::size_t kMost = 4'096, kMostInMind = 512;  // records, of each partition

  using Own = std::pair<std::int64_t, std::shared_ptr<const Record>>;

  Status compare(const Position& position, std::string_view id) const;

  const std::string topic_;
  // The newest of each partition: offsets in order, and hashes of ids.
  std::map<int, std::deque<std::pair<std::int64_t, std::size_t>>> read_;
  std::map<int, std::int64_t> lacks_;

  std::mutex mutex_;  // guards what follows
  std::function<void()> wake_;
  std::map<int, std::deque<Own>> own_;  // by partition, in the order of offsets
  std::atomic<bool> any_ = false;
};

}  // namespace tilth
