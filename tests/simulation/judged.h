// An owner's records and rows, for tests of those that judge them.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "events/log/event_record.h"
#include "projections/rows/row_batch.h"
#include "tests/fixtures/spec.h"
#include "tests/simulation/plain_records.h"

namespace tilth::testing {

// Records, and rows that may be folded from others.
class Judged {
 public:
  static constexpr std::string_view kStream = "user_1";

  // What does not hold of the event alone.
  std::string take(Event event) {
    Record record{.stream = std::string(kStream), .envelope = {}};
    record.envelope.time = kNow;
    write_event(std::move(event), record);
    return records_.take(record);
  }
  void fold(const Event& event) { testing::fold(rows_, kStream, event); }
  void both(const std::vector<Event>& events) {
    for (const auto& event : events) {
      EXPECT_EQ(take(event), "");
      fold(event);
    }
  }

  std::string check_last() const { return records_.check_last({rows_, kStream, 0}); }
  std::string check() const { return records_.check({rows_, kStream, 0}); }
  const PlainRecords& records() const { return records_; }
  Rows rows() const { return {rows_, kStream, 0}; }

 private:
  PlainRecords records_;
  RowBatch rows_;
};

}  // namespace tilth::testing
