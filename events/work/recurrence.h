// When a rule such as "the last day of every second month, at half past six" recurs.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/json/described.h"
#include "events/json/json.h"
#include "events/values/time_zone.h"

namespace tilth {

enum class RecurrencePattern : std::uint8_t { kDaily, kWeekly, kMonthly, kYearly, kCustom };

constexpr auto labels(RecurrencePattern) {
  return named<RecurrencePattern>("daily", "weekly", "monthly", "yearly", "custom");
}

// Some days of a week, 0 = Sunday: [1,3,5].
struct DaysOfWeek {
  static constexpr std::string_view kSchema =
      R"({"type":"array","minItems":1,"maxItems":7,"uniqueItems":true,)"
      R"("items":{"type":"integer","minimum":0,"maximum":6},"examples":[[1,4]]})";

  std::uint8_t bits = 0;
  static constexpr auto kWrapped = &DaysOfWeek::bits;

  static DaysOfWeek only(std::chrono::weekday day) { return {bit(day)}; }
  bool has(std::chrono::weekday day) const { return (bits & bit(day)) != 0; }

  static std::optional<DaysOfWeek> read_json(const Json& json, bool check, Issues& issues,
                                             const std::string& path);
  void write_json(std::string& out) const;
  friend bool operator==(const DaysOfWeek&, const DaysOfWeek&) = default;

 private:
  static std::uint8_t bit(std::chrono::weekday day) {
    return static_cast<std::uint8_t>(1U << day.c_encoding());
  }
};

// Absent members default to those of `start`. Members that the pattern does not use have no effect.
struct RecurrenceRule {
  RecurrencePattern pattern = {};
  std::int64_t interval = 1;
  std::optional<DaysOfWeek> days_of_week = {};
  std::optional<std::int64_t> day_of_month = {};
  std::optional<std::int64_t> month_of_year = {};
  Timestamp start;                    // cut to whole seconds
  std::optional<Timestamp> end = {};  // an occurrence at exactly this instant is the last
};

// The occurrences of a rule at a place: at the wall time of its start, the first one at or after
// its start, none outside the years 1 to 9999, which RFC 5545 cannot write. Two that fall on one
// instant, because the clocks skipped a whole day, are one.
//
// Pure except for the tz database. Every query costs the same, however far from the start. Valid
// for as long as the program runs. Threads: any.
class Occurrences {
 public:
  Occurrences(const RecurrenceRule& rule, const TimeZone& zone);

  std::optional<Timestamp> first_from(Timestamp at) const;  // inclusive
  std::optional<Timestamp> last_until(Timestamp at) const;  // inclusive
  std::optional<Timestamp> first() const { return first_from(start_); }

  // The wall time of `occurrence`, that many calendar days earlier.
  Timestamp days_before(Timestamp occurrence, std::int64_t days) const;

  // RFC 5545, in two lines. It has exactly these occurrences, and DTSTART is the first of them. If
  // there are none, DTSTART is after the end.
  std::string rrule() const;

 private:
  struct Nominal {
    std::chrono::local_days day;
    Timestamp at;
  };

  std::int64_t period_of(std::chrono::local_days day) const;
  std::vector<std::chrono::local_days> days_of(std::int64_t period) const;
  std::optional<Nominal> search(Timestamp at, bool forward) const;
  Occurrences without_end() const;
  Nominal before_the_start() const;
  std::int64_t day_of_month() const;
  std::int64_t month_of_year() const;
  DaysOfWeek days_of_week() const;

  RecurrenceRule rule_;
  std::string zone_name_;
  WallClock clock_;
  Timestamp start_;
  std::chrono::local_days start_day_;
  std::chrono::seconds time_of_day_;
};

}  // namespace tilth
