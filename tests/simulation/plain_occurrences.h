// When an owner's rules make tasks, said again without the code that computes it: each occurrence
// once and in time, none of a pause, none after the end, none left out, and no more on a day than
// is allowed.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events/json/json.h"
#include "events/log/event_log.h"
#include "tests/simulation/plain_records.h"

namespace tilth::testing {

// How far a time zone that the simulation's farms have, as JSON names it, is ahead of UTC.
std::chrono::hours offset_at(const std::string& zone,
                             std::chrono::sys_time<std::chrono::milliseconds> at);

// Follows one stream. Functions that return text say what does not hold; empty: nothing. All dates
// are checked of rules that recur every so many days, in the time zones that the simulation's farms
// have. Of the others it is not known which dates are missing.
class PlainOccurrences {
 public:
  // `tasks_a_day`: as many as rules may make on one day of UTC.
  explicit PlainOccurrences(std::int64_t tasks_a_day = 10'000) : tasks_a_day_(tasks_a_day) {}

  // `record` is the next of the stream that counts; `records` are as they are before it. If it is
  // a client's, all that was due has been made, rules say what comes next by the clocks of their
  // farms, and those without a template have stopped.
  std::string check_made(const Record& record, const PlainRecords& records) const;
  // The same record; `records` are as it leaves them.
  std::string take(const Record& record, const PlainRecords& records);
  // How many more tasks rules may make on the day of `now`.
  std::int64_t tasks_left(Timestamp now) const;
  // Whether a change of a rule may make more tasks than that; also if that is not known. `changes`:
  // the members that it names; `after`: the rule as it would be.
  bool may_exceed_day(const std::string& id, const PlainRecords::Members& changes,
                      const PlainRecords::Members& after, const PlainRecords& records,
                      Timestamp now) const;

 private:
  using Instant = std::chrono::sys_time<std::chrono::milliseconds>;
  // Whose schedule does not fit into the day: a request is refused, a rule waits for the next one.
  enum class By : std::uint8_t { kRequest, kTime };

  // Of a rule, besides its record.
  struct Rule {
    std::set<Instant> made = {};  // occurrences with a task
    Instant from = {};            // those before it are over
    bool rests = false;           // it is not active, or its template is not
    Instant put_off_until = {};   // the day had no tasks left for what was due
  };

  std::string follow(const std::string& id, const Json& schedule, Instant now, By by,
                     const PlainRecords& records);
  std::string check_due(Rule& rule, const std::vector<Instant>& due,
                        const std::vector<Instant>& made, Instant now, By by) const;
  std::vector<Instant> due(const Rule& rule, const PlainRecords::Members& record,
                           const std::string& zone, Instant now) const;
  std::optional<bool> rests(const PlainRecords::Members& rule, const PlainRecords& records) const;
  bool is_gone(const std::string& template_id, const PlainRecords& records) const;
  bool can_be_used(const Json& rule, const PlainRecords& records) const;
  void note_farms(Instant now, const PlainRecords& records);
  void note_rests(Instant now, const PlainRecords& records);

  const std::int64_t tasks_a_day_;
  std::map<std::chrono::sys_days, std::int64_t> made_on_;  // tasks
  Instant newest_ = {};                                    // time of a record
  std::map<std::string, Rule> rules_;                      // by id
  std::map<std::string, std::string> zones_;               // by farm
  std::set<std::string> templates_;                        // all that the owner has ever had
};

}  // namespace tilth::testing
