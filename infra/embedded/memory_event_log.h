// An event log in memory: for tests, and as the simplest specification of an EventLog.

#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "events/log/version_gate.h"

namespace tilth {

class MemoryEventLog final : public EventLog {
 public:
  // kDropped checks the expected version on append and returns kStale, as the embedded log does.
  // kKept stores refused records, too, as Kafka does, and leaves the check to the readers.
  enum class Refused { kDropped, kKept };

  explicit MemoryEventLog(int partitions, Refused refused = Refused::kDropped)
      : partitions_(static_cast<std::size_t>(partitions)), refused_(refused) {}

  void append(Record record, OnAppended done) override {
    const std::lock_guard lock(mutex_);
    const int index = partition_of(record.stream);
    auto& partition = at(index);
    if (!partition.gate.admit(record) && refused_ == Refused::kDropped) {
      return complete([=] { done(Error{ErrorCode::kStale, "Its stream stands elsewhere."}); });
    }
    const Position position{index, size(index)};
    partition.records.push_back({position, std::make_shared<const Record>(std::move(record))});
    complete([=] { done(position); });
  }

  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    const std::lock_guard lock(mutex_);
    for (const auto& [partition, offset] : from) {
      if (offset > size(partition)) {
        return Error{ErrorCode::kLost, "The log ends before " + std::to_string(offset) + "."};
      }
    }
    return std::unique_ptr<LogReader>(new Reader(*this, from));
  }

  void end(int partition, OnEnd done) override {
    const std::lock_guard lock(mutex_);
    complete([done = std::move(done), end = size(partition)] { done(end); });
  }

  bool is_sequential() const override { return refused_ == Refused::kDropped; }
  int partitions() const override { return static_cast<int>(partitions_.size()); }

 private:
  struct Partition {
    std::vector<LoggedRecord> records;
    VersionGate gate;
  };

  class Reader final : public LogReader {
   public:
    Reader(MemoryEventLog& log, std::vector<Position> next) : log_(log), next_(std::move(next)) {}

    Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                           std::chrono::milliseconds timeout) override {
      std::unique_lock lock(log_.mutex_);
      std::vector<LoggedRecord> found;
      log_.changed_.wait_for(lock, timeout, [&] {
        collect(found, limit);
        return !found.empty() || woken_;
      });
      woken_ = false;
      return found;
    }

    void wake() override {
      const std::lock_guard lock(log_.mutex_);
      woken_ = true;
      log_.changed_.notify_all();
    }

    void skip_to(const Position& position) override {
      for (auto& [partition, offset] : next_) {
        if (partition == position.partition) offset = std::max(offset, position.offset);
      }
    }

   private:
    void collect(std::vector<LoggedRecord>& found, std::size_t limit) {
      for (auto& [partition, offset] : next_) {
        const auto& records = log_.at(partition).records;
        while (offset < std::ssize(records) && found.size() < limit) {
          found.push_back(records[static_cast<std::size_t>(offset++)]);
        }
      }
    }

    MemoryEventLog& log_;
    std::vector<Position> next_;
    bool woken_ = false;
  };

  Partition& at(int partition) { return partitions_.at(static_cast<std::size_t>(partition)); }
  std::int64_t size(int partition) { return std::ssize(at(partition).records); }

  void complete(std::function<void()> completion) {
    completions_.push_back(std::move(completion));
    changed_.notify_all();
  }

  void run_completions(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !completions_.empty(); })) {
      const auto complete = std::move(completions_.front());
      completions_.pop_front();
      lock.unlock();
      complete();
      lock.lock();
    }
  }

  std::mutex mutex_;  // guards what follows, up to the thread
  std::condition_variable_any changed_;
  std::vector<Partition> partitions_;
  const Refused refused_;
  std::deque<std::function<void()>> completions_;
  // Last, so that it has run every completion before anything else is destroyed.
  std::jthread completer_{[this](const std::stop_token& stop) { run_completions(stop); }};
};

}  // namespace tilth
