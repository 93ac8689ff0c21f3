// Rules about what clients are told, said again in the plainest way: records say what was asked
// for, results say what the records say, and show the rows that these lead to.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "events/log/event_log.h"
#include "tests/simulation/attempt.h"
#include "tests/simulation/plain_records.h"

namespace tilth::testing {

// A node identifies a visit of its clock by its name, this, and a number.
inline constexpr std::string_view kTicks = " ticks ";

// Whether it is what a visit of its node's clock has found due.
bool is_of_a_visit(const Record& record);

// What a record's envelope says that its request did not; empty: nothing. It was asked for by that
// attempt.
std::string wrong_in_envelope(const Record& record, const Attempt& attempt);

// What does not hold between a result and the record that it left, which may be none; empty:
// nothing.
std::string wrong_in_result(const Attempt& attempt);

// Whether the results of requests on one stream show its records as they were then.
class PlainAnswers {
 public:
  // In the order of their positions. Results without a position show nothing.
  void add(const std::shared_ptr<const Attempt>& attempt);

  // Judges the results up to there, but not at `before`. `last` is the last record that counts
  // before, at that offset; `records` are as it left them. What does not hold; empty: nothing.
  std::string judge(std::int64_t before, std::int64_t last_offset, const Record* last,
                    const PlainRecords& records);

 private:
  std::string wrong_in_shown(const CommandResult& result, const PlainRecords& records);

  std::multimap<std::int64_t, std::shared_ptr<const Attempt>> left_;  // by offset
  std::map<std::string, std::string> json_by_tag_;
};

}  // namespace tilth::testing
