// A log in memory that keeps records as Kafka does and fails as it is told, an append at a time.

#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "infra/embedded/memory_event_log.h"

namespace tilth::testing {

class FlakyLog final : public EventLog {
 public:
  enum class Fault { kNone, kLosesTheAnswer, kLosesTheRecord, kIsSilent };

  void append(Record record, OnAppended done) override {
    const auto fault = faults.empty() ? Fault::kNone : faults.front();
    if (!faults.empty()) faults.pop_front();
    const Error unknown{ErrorCode::kUnavailable, "Nobody knows."};
    switch (fault) {
      case Fault::kNone:
        return log_.append(std::move(record), std::move(done));
      case Fault::kLosesTheAnswer:
        return log_.append(std::move(record), [=](const auto&) { done(unknown); });
      case Fault::kLosesTheRecord:
        return log_.end(0, [=](const auto&) { done(unknown); });
      case Fault::kIsSilent:
        silent.push_back(std::move(record));
    }
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return log_.read(from);
  }
  void end(int partition, OnEnd done) override {
    if (!knows_its_end) return;
    ++ends_asked;
    if (!end_faults.empty()) {
      const auto why = std::move(end_faults.front());
      end_faults.pop_front();
      return done(why);
    }
    log_.end(partition, std::move(done));
  }
  int partitions() const override { return log_.partitions(); }

  std::atomic<bool> knows_its_end = true;
  // Used on the thread of the test, on which the node's loop turns.
  std::deque<Fault> faults;
  std::vector<Record> silent;    // what nobody heard of again
  std::deque<Error> end_faults;  // what the next questions for an end are told
  std::atomic<int> ends_asked = 0;

 private:
  MemoryEventLog log_{2, MemoryEventLog::Refused::kKept};
};

}  // namespace tilth::testing
