// The newest records of the embedded log, kept in memory for the readers that follow it.

#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
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
  using Records = std::vector<LoggedRecord>;
  using Steady = std::chrono::steady_clock;
  // Which streams a reader wants; null: all.
  using Wanted = std::function<bool(std::string_view stream)>;

  // Where one reader waits, so that it is woken alone.
  class Follower {
   public:
    explicit Follower(Wanted wanted) : wanted_(std::move(wanted)) {}

    bool wants_all() const { return !wanted_; }

   private:
    friend class RecordTail;

    bool wants(const LoggedRecord& logged) const {
      return !wanted_ || !logged.record->foreign.empty() || wanted_(logged.record->stream);
    }

    const Wanted wanted_;
    std::condition_variable called_;
    bool woken_ = false;
    bool waits_for_any_ =
        true;                // while it waits: a record that it does not want ends the wait, too
    bool has_come_ = false;  // what it waits for
  };

  // What a follower finds of the records in memory.
  struct Found {
    Records wanted;
    std::optional<LoggedRecord> last;  // of all that were looked at
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
      for (const auto& logged : records) {
        records_.push_back(logged);
        bytes_ += size_of(logged);
      }
      for (; bytes_ > capacity_; records_.pop_front()) bytes_ -= size_of(records_.front());
      end_ += std::ssize(records);
      woken = call([&](const Follower& follower) {
        return follower.waits_for_any_ ||
               std::ranges::any_of(records, [&](const auto& each) { return follower.wants(each); });
      });
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
      woken = call([](const Follower&) { return true; });
    }
    notify(woken);
  }

  // Drops all records; readers find them on disk.
  void forget() {
    const std::lock_guard lock(mutex_);
    records_.clear();
    bytes_ = 0;
  }

  // Returns at once if the log has a record at `offset`; else when a record comes that the follower
  // wants, or any if `any`, or when it is `until`. True: the follower was woken, before or
  // meanwhile.
  bool wait(const std::shared_ptr<Follower>& follower, std::int64_t offset, bool any,
            Steady::time_point until) {
    std::unique_lock lock(mutex_);
    if (end_ <= offset && !follower->woken_) {
      follower->waits_for_any_ = any;
      follower->has_come_ = false;
      waiting_.push_back(follower);
      follower->called_.wait_until(lock, until,
                                   [&] { return follower->has_come_ || follower->woken_; });
      std::erase(waiting_, follower);
    }
    return std::exchange(follower->woken_, false);
  }

  void wake(Follower& follower) {
    {
      const std::lock_guard lock(mutex_);
      follower.woken_ = true;
    }
    follower.called_.notify_one();
  }

  // At most `limit` records from `offset` on that the follower wants; nothing if the record there
  // is not in memory. Looks at a part of them only: go on behind the last one.
  Found find(const Follower& follower, std::int64_t offset, std::size_t limit) const {
    Found found;
    const std::lock_guard lock(mutex_);
    const std::int64_t first = end_ - std::ssize(records_);
    if (offset < first || offset >= end_) return found;
    auto next = records_.begin() + (offset - first);
    const auto end = next + std::min<std::ptrdiff_t>(records_.end() - next, kLookedAtOnce);
    for (; next != end && found.wanted.size() < limit; ++next) {
      if (follower.wants(*next)) found.wanted.push_back(*next);
    }
    found.last = *std::prev(next);
    return found;
  }

 private:
  using Followers = std::vector<std::shared_ptr<Follower>>;

  static constexpr std::ptrdiff_t kLookedAtOnce = 512;

  // Lets those followers go on, of the waiting ones.
  template <class IsCalled>
  Followers call(const IsCalled& is_called) {
    Followers called;
    for (const auto& follower : waiting_) {
      if (!is_called(*follower)) continue;
      follower->has_come_ = true;
      called.push_back(follower);
    }
    return called;
  }

  // Without the lock, on which the woken readers would block. Their followers are shared, since the
  // readers may be gone by then.
  static void notify(const Followers& followers) {
    for (const auto& follower : followers) follower->called_.notify_one();
  }

  static std::size_t size_of(const LoggedRecord& logged) {
    const auto& [stream, envelope, json, known, foreign] = *logged.record;
    std::size_t strings =
        stream.size() + json.size() + foreign.size() + envelope.id.size() + envelope.type.size() +
        envelope.source.size() + envelope.correlation_id.size() + envelope.causation_id.size() +
        envelope.actor.size() + envelope.traceparent.size() + envelope.predecessor.size();
    if (const auto& idempotency = envelope.idempotency) {
      strings += idempotency->key.size() + idempotency->request_hash.size();
    }
    if (known) strings += sizeof *known + json.size();
    return sizeof logged + sizeof(Record) + strings + 128;  // what the allocator adds
  }

  mutable std::mutex mutex_;  // guards what follows, and what is set in followers
  Followers waiting_;
  const std::size_t capacity_;
  std::deque<LoggedRecord> records_;
  std::size_t bytes_ = 0;
  std::int64_t end_;
};

}  // namespace tilth
