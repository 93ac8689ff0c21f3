// The newest records of the embedded log, kept in memory for the readers that follow it.

#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "events/event_log.h"

namespace tilth {

// Knows the log's end, and as many of the records before it as fit `capacity` bytes.
//
// Threads: any. Gone after a crash: holds nothing that is not on disk.
class RecordTail {
 public:
  using Records = std::vector<std::shared_ptr<const LoggedRecord>>;

  RecordTail(std::int64_t end, std::size_t capacity) : capacity_(capacity), end_(end) {}

  std::int64_t end() const {
    const std::lock_guard lock(mutex_);
    return end_;
  }

  // Records that are durable now, the first of them at end(). Wakes whoever waits for them.
  void extend(const Records& records) {
    const std::lock_guard lock(mutex_);
    for (const auto& record : records) {
      records_.push_back(record);
      bytes_ += size_of(*record);
    }
    for (; bytes_ > capacity_; records_.pop_front()) bytes_ -= size_of(*records_.front());
    end_ += std::ssize(records);
    grown_.notify_all();
  }

  // The log turned out to end elsewhere.
  void restart(std::int64_t end) {
    const std::lock_guard lock(mutex_);
    if (end == end_) return;
    records_.clear();
    bytes_ = 0;
    end_ = end;
    grown_.notify_all();
  }

  // The end, as soon as it lies beyond `offset`, `patience` is over or `woken` is set, which this
  // clears again.
  std::int64_t wait(std::int64_t offset, std::chrono::milliseconds patience, bool& woken) {
    std::unique_lock lock(mutex_);
    grown_.wait_for(lock, patience, [&] { return end_ > offset || woken; });
    woken = false;
    return end_;
  }

  void wake(bool& woken) {
    const std::lock_guard lock(mutex_);
    woken = true;
    grown_.notify_all();
  }

  // At most `limit` records from `offset` on; none if that one is not in memory.
  Records from(std::int64_t offset, std::size_t limit) const {
    const std::lock_guard lock(mutex_);
    const std::int64_t first = end_ - std::ssize(records_);
    if (offset < first || offset >= end_) return {};
    const auto begin = records_.begin() + (offset - first);
    const auto count = std::min(limit, static_cast<std::size_t>(records_.end() - begin));
    return Records(begin, begin + static_cast<std::ptrdiff_t>(count));
  }

 private:
  static std::size_t size_of(const LoggedRecord& logged) {
    const auto& [stream, envelope, json] = logged.record;
    std::size_t strings = stream.size() + json.size() + envelope.id.size() + envelope.type.size() +
                          envelope.source.size() + envelope.correlation_id.size() +
                          envelope.causation_id.size() + envelope.actor.size();
    if (const auto& idempotency = envelope.idempotency) {
      strings += idempotency->key.size() + idempotency->request_hash.size();
    }
    return sizeof logged + strings + 128;  // what the allocator adds
  }

  mutable std::mutex mutex_;  // guards what follows, and the flags that wait() and wake() are given
  std::condition_variable grown_;
  const std::size_t capacity_;
  std::deque<std::shared_ptr<const LoggedRecord>> records_;
  std::size_t bytes_ = 0;
  std::int64_t end_;
};

}  // namespace tilth
