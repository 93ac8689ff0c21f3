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

#include "events/log/event_log.h"
#include "events/log/event_record.h"

namespace tilth {

// Holds the log's end, and as many of the records before it as fit into `capacity` bytes.
//
// Threads: any. Crash: lost, but everything in it is on disk.
class RecordTail {
 public:
  using Records = std::vector<std::shared_ptr<const LoggedRecord>>;

  // Where one reader waits, so that it is woken alone.
  class Follower {
    friend class RecordTail;
    std::condition_variable called_;
    bool woken_ = false;
  };

  RecordTail(std::int64_t end, std::size_t capacity) : capacity_(capacity), end_(end) {}

  std::int64_t end() const {
    const std::lock_guard lock(mutex_);
    return end_;
  }

  // Adds records that are durable now, the first of them at end(). Wakes the readers that wait for
  // them.
  void extend(const Records& records) {
    Followers woken;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& record : records) {
        records_.push_back(record);
        bytes_ += size_of(*record);
      }
      for (; bytes_ > capacity_; records_.pop_front()) bytes_ -= size_of(*records_.front());
      end_ += std::ssize(records);
      woken = waiting_;
    }
    notify(woken);
  }

  // The log was found to have another end.
  void restart(std::int64_t end) {
    Followers woken;
    {
      const std::lock_guard lock(mutex_);
      if (end == end_) return;
      records_.clear();
      bytes_ = 0;
      end_ = end;
      woken = waiting_;
    }
    notify(woken);
  }

  // Drops all records; readers find them on disk.
  void forget() {
    const std::lock_guard lock(mutex_);
    records_.clear();
    bytes_ = 0;
  }

  // Returns the end as soon as it is beyond `offset`, `timeout` is over or the follower is woken.
  std::int64_t wait(const std::shared_ptr<Follower>& follower, std::int64_t offset,
                    std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    const auto ready = [&] { return end_ > offset || follower->woken_; };
    if (!ready() && timeout.count() > 0) {
      waiting_.push_back(follower);
      follower->called_.wait_for(lock, timeout, ready);
      std::erase(waiting_, follower);
    }
    follower->woken_ = false;
    return end_;
  }

  void wake(Follower& follower) {
    {
      const std::lock_guard lock(mutex_);
      follower.woken_ = true;
    }
    follower.called_.notify_one();
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
  using Followers = std::vector<std::shared_ptr<Follower>>;

  // Without the lock, on which the woken readers would block. Their followers are shared, since the
  // readers may be gone by then.
  static void notify(const Followers& followers) {
    for (const auto& follower : followers) follower->called_.notify_one();
  }

  static std::size_t size_of(const LoggedRecord& logged) {
    const auto& [stream, envelope, json, known, foreign] = logged.record;
    std::size_t strings =
        stream.size() + json.size() + foreign.size() + envelope.id.size() + envelope.type.size() +
        envelope.source.size() + envelope.correlation_id.size() + envelope.causation_id.size() +
        envelope.actor.size() + envelope.traceparent.size() + envelope.predecessor.size();
    if (const auto& idempotency = envelope.idempotency) {
      strings += idempotency->key.size() + idempotency->request_hash.size();
    }
    if (known) strings += sizeof *known + json.size();
    return sizeof logged + strings + 128;  // what the allocator adds
  }

  mutable std::mutex mutex_;  // guards what follows, and what is set in followers
  Followers waiting_;
  const std::size_t capacity_;
  std::deque<std::shared_ptr<const LoggedRecord>> records_;
  std::size_t bytes_ = 0;
  std::int64_t end_;
};

}  // namespace tilth
