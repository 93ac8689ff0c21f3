// A part of a log: its readers return no record at or beyond the given ends.

#pragma once

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "events/log/event_log.h"

namespace tilth {

// Nothing can be appended. Readers do not wait; they end where the part ends. Threads: one.
class BoundedLog final : public EventLog {
 public:
  // `whole` must outlive it.
  explicit BoundedLog(EventLog& whole) : whole_(whole) {}

  // From now on the part ends before these. An end that is already further stays.
  void end_before(const std::vector<Position>& ends) {
    for (const auto& [partition, offset] : ends)
      ends_[partition] = std::max(ends_[partition], offset);
  }

  void append(Record, OnAppended done) override {
    done(Error{ErrorCode::kUnavailable, "A part of a log takes no records."});
  }
  void end(int partition, OnEnd done) override { done(ends_[partition]); }
  int partitions() const override { return whole_.partitions(); }

  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    auto reader = whole_.read(from);
    if (!reader) return reader;
    return std::unique_ptr<LogReader>(new Reader(*this, from, std::move(*reader)));
  }

 private:
  class Reader final : public LogReader {
   public:
    Reader(BoundedLog& part, const std::vector<Position>& from, std::unique_ptr<LogReader> reader)
        : part_(part), reader_(std::move(reader)) {
      for (const auto& [partition, offset] : from) next_[partition] = offset;
    }

    Result<std::vector<LoggedRecord>> next(std::size_t limit, std::chrono::milliseconds) override {
      std::vector<LoggedRecord> found;
      take(held_, found, limit);
      while (found.empty() && !at_end()) {
        auto read = reader_->next(limit, kTimeout);
        if (!read) return read.error();
        if (read->empty()) break;
        for (const auto& logged : *read) {
          next_[logged.position.partition] = logged.position.offset + 1;
        }
        std::deque<LoggedRecord> page(std::make_move_iterator(read->begin()),
                                      std::make_move_iterator(read->end()));
        take(page, found, limit);
        held_.insert(held_.end(), std::make_move_iterator(page.begin()),
                     std::make_move_iterator(page.end()));
      }
      return found;
    }
    void wake() override { reader_->wake(); }

   private:
    // For records that exist, but have to come from a broker.
    static constexpr std::chrono::milliseconds kTimeout{200};

    bool at_end() const {
      for (const auto& [partition, offset] : next_) {
        if (offset < part_.ends_[partition]) return false;
      }
      return true;
    }

    // Moves the records before the ends, each partition in order.
    void take(std::deque<LoggedRecord>& from, std::vector<LoggedRecord>& found,
              std::size_t limit) const {
      if (from.empty()) return;
      std::deque<LoggedRecord> left;
      for (auto& logged : from) {
        const bool within = logged.position.offset < part_.ends_[logged.position.partition];
        if (within && found.size() < limit) {
          found.push_back(std::move(logged));
        } else {
          left.push_back(std::move(logged));
        }
      }
      from = std::move(left);
    }

    BoundedLog& part_;
    const std::unique_ptr<LogReader> reader_;
    std::map<int, std::int64_t> next_;
    std::deque<LoggedRecord> held_;
  };

  EventLog& whole_;
  std::map<int, std::int64_t> ends_;
};

}  // namespace tilth
