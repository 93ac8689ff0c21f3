#include "events/work/recurrence.h"

#include <random>

#include <gtest/gtest.h>

#include "events/json/json_reader.h"
#include "events/json/json_writer.h"
#include "tests/events/values/oracle.h"

namespace tilth {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using Pattern = RecurrencePattern;

Timestamp at(std::string_view text) { return Timestamp::parse(text).value(); }

// The first `count` occurrences from an instant on.
std::string listed(const Occurrences& occurrences, Timestamp from, int count) {
  std::string text;
  for (auto next = occurrences.first_from(from); next && count > 0; --count) {
    text.append(text.empty() ? "" : " ").append(next->text());
    next = occurrences.first_from({next->at + milliseconds(1)});
  }
  return text;
}

std::string from_start(const RecurrenceRule& rule, const char* zone, int count) {
  return listed(Occurrences(rule, TimeZone{zone}), rule.start, count);
}

DaysOfWeek weekdays(std::string_view json) {
  Issues issues;
  const auto read = DaysOfWeek::read_json(*parse_json(json), true, issues, "daysOfWeek");
  EXPECT_TRUE(read) << json;
  return read.value_or(DaysOfWeek{});
}

TEST(Occurrences, KeepTheWallTimeWhenTheClocksChange) {
  EXPECT_EQ(from_start({.start = at("2026-03-07T12:00:00Z")}, "America/New_York", 3),
            "2026-03-07T12:00:00.000Z 2026-03-08T11:00:00.000Z 2026-03-09T11:00:00.000Z");
}

TEST(Occurrences, ReadASkippedWallTimeWithTheOffsetBefore) {
  EXPECT_EQ(from_start({.start = at("2026-03-07T07:30:00Z")}, "America/New_York", 3),
            "2026-03-07T07:30:00.000Z 2026-03-08T07:30:00.000Z 2026-03-09T06:30:00.000Z");
}

TEST(Occurrences, TakeTheFirstOfAWallTimeThatComesTwice) {
  EXPECT_EQ(from_start({.start = at("2026-10-31T05:30:00Z")}, "America/New_York", 3),
            "2026-10-31T05:30:00.000Z 2026-11-01T05:30:00.000Z 2026-11-02T06:30:00.000Z");
  EXPECT_EQ(from_start({.start = at("2026-11-01T06:30:00Z")}, "America/New_York", 1),
            "2026-11-02T06:30:00.000Z")
      << "the first of the two is before the start";
}

TEST(Occurrences, CountMonthEndsFromTheRule) {
  EXPECT_EQ(
      from_start({.pattern = Pattern::kMonthly, .start = at("2026-01-31T06:00:00Z")}, "UTC", 4),
      "2026-01-31T06:00:00.000Z 2026-02-28T06:00:00.000Z 2026-03-31T06:00:00.000Z "
      "2026-04-30T06:00:00.000Z");
  EXPECT_EQ(
      from_start({.pattern = Pattern::kYearly, .start = at("2028-02-29T06:00:00Z")}, "UTC", 5),
      "2028-02-29T06:00:00.000Z 2029-02-28T06:00:00.000Z 2030-02-28T06:00:00.000Z "
      "2031-02-28T06:00:00.000Z 2032-02-29T06:00:00.000Z");
}

TEST(Occurrences, BeginWithTheFirstThatMatches) {
  // The 4th of March 2026 is a Wednesday; its week is number 0.
  const RecurrenceRule rule{.pattern = Pattern::kWeekly,
                            .interval = 2,
                            .days_of_week = weekdays("[0,1]"),
                            .start = at("2026-03-04T06:00:00Z")};
  EXPECT_EQ(from_start(rule, "UTC", 3),
            "2026-03-08T06:00:00.000Z 2026-03-16T06:00:00.000Z 2026-03-22T06:00:00.000Z");
}

TEST(Occurrences, EndWithTheOneAtTheEnd) {
  RecurrenceRule rule{.start = at("2026-03-04T06:00:00Z"), .end = at("2026-03-05T06:00:00Z")};
  EXPECT_EQ(from_start(rule, "UTC", 9), "2026-03-04T06:00:00.000Z 2026-03-05T06:00:00.000Z");
  rule.end->at -= milliseconds(1);
  EXPECT_EQ(from_start(rule, "UTC", 9), "2026-03-04T06:00:00.000Z");
  rule.pattern = Pattern::kYearly, rule.month_of_year = 2;
  EXPECT_EQ(from_start(rule, "UTC", 9), "");
  EXPECT_FALSE(Occurrences(rule, {}).last_until(at("2030-01-01")));
}

TEST(Occurrences, EndWithTheYear9999) {
  const Occurrences daily({.start = at("2026-03-04T06:00:00Z")}, {});
  EXPECT_EQ(listed(daily, at("9999-12-30"), 9),
            "9999-12-30T06:00:00.000Z 9999-12-31T06:00:00.000Z");
}

TEST(Occurrences, BeginAtAWholeSecond) {
  EXPECT_EQ(from_start({.start = at("2026-03-04T06:00:00.999Z")}, "UTC", 1),
            "2026-03-05T06:00:00.000Z")
      << "listed from the exact start on";
  EXPECT_EQ(Occurrences({.start = at("2026-03-04T06:00:00.999Z")}, {}).first(),
            at("2026-03-04T06:00:00Z"));
}

TEST(Occurrences, AreOneWhereADayIsSkipped) {
  EXPECT_EQ(from_start({.start = at("2011-12-29T20:00:00Z")}, "Pacific/Apia", 3),
            "2011-12-29T20:00:00.000Z 2011-12-30T20:00:00.000Z 2011-12-31T20:00:00.000Z");
}

TEST(Occurrences, AreAnnouncedAtTheSameWallTimeSoManyDaysBefore) {
  const Occurrences daily({.start = at("2026-03-07T12:00:00Z")}, TimeZone{"America/New_York"});
  EXPECT_EQ(daily.days_before(at("2026-03-09T11:00:00Z"), 2), at("2026-03-07T12:00:00Z"));
  EXPECT_EQ(daily.days_before(at("2026-03-09T11:00:00Z"), 0), at("2026-03-09T11:00:00Z"));
  const Occurrences at_half_past_two({.start = at("2026-03-07T07:30:00Z")},
                                     TimeZone{"America/New_York"});
  EXPECT_EQ(at_half_past_two.days_before(at("2026-03-08T07:30:00Z"), 1), at("2026-03-07T07:30:00Z"))
      << "the intended wall time, not the one that clocks show";
}

TEST(Occurrences, SayWhatTheyAreAsRfc5545Does) {
  const auto rrule = [](const RecurrenceRule& rule, const char* zone) {
    return Occurrences(rule, TimeZone{zone}).rrule();
  };
  EXPECT_EQ(rrule({.interval = 3, .start = at("2026-03-04T06:00:00Z")}, "UTC"),
            "DTSTART:20260304T060000Z\nRRULE:FREQ=DAILY;INTERVAL=3");
  EXPECT_EQ(rrule({.pattern = Pattern::kMonthly,
                   .day_of_month = 31,
                   .start = at("2026-03-04T06:00:00Z"),
                   .end = at("2026-12-01T00:00:00Z")},
                  "Asia/Riyadh"),
            "DTSTART;TZID=Asia/Riyadh:20260331T090000\n"
            "RRULE:FREQ=MONTHLY;INTERVAL=1;UNTIL=20261201T000000Z;BYMONTHDAY=28,29,30,31;"
            "BYSETPOS=-1");
}

TEST(Occurrences, ThatAreNoneAreSaidToBeNone) {
  const auto rrule = [](const RecurrenceRule& rule, const char* zone) {
    const Occurrences occurrences(rule, TimeZone{zone});
    EXPECT_FALSE(occurrences.first());
    return occurrences.rrule();
  };
  const auto second_half_past_one = at("2027-11-07T06:30:00Z");
  EXPECT_EQ(rrule({.start = second_half_past_one, .end = second_half_past_one}, "America/New_York"),
            "DTSTART;TZID=America/New_York:20271108T013000\n"
            "RRULE:FREQ=DAILY;INTERVAL=1;UNTIL=20271107T063000Z");
  EXPECT_EQ(rrule({.pattern = Pattern::kWeekly,
                   .days_of_week = weekdays("[3]"),
                   .start = at("2027-11-14T15:00:00Z"),
                   .end = at("2027-11-15T15:00:00Z")},
                  "UTC"),
            "DTSTART:20271117T150000Z\n"
            "RRULE:FREQ=WEEKLY;INTERVAL=1;UNTIL=20271115T150000Z;BYDAY=WE");
}

TEST(Occurrences, ThatWouldComeAfterTheYear9999AreSaidToBeNone) {
  RecurrenceRule rule{
      .pattern = Pattern::kYearly, .month_of_year = 2, .start = at("9999-12-30T06:00:00Z")};
  const auto rrule = [&](const char* zone) {
    const Occurrences occurrences(rule, TimeZone{zone});
    EXPECT_FALSE(occurrences.first());
    return occurrences.rrule();
  };
  EXPECT_EQ(rrule("UTC"),
            "DTSTART:99990228T060000Z\n"
            "RRULE:FREQ=YEARLY;INTERVAL=1;UNTIL=99990228T055959Z;BYMONTH=2;BYMONTHDAY=28,29,30;"
            "BYSETPOS=-1");
  rule = {.pattern = Pattern::kWeekly,
          .days_of_week = weekdays("[6]"),
          .start = at("9999-12-31T06:00:00Z"),
          .end = at("9999-12-31T08:00:00Z")};
  EXPECT_EQ(rrule("UTC"),
            "DTSTART:99991225T060000Z\n"
            "RRULE:FREQ=WEEKLY;INTERVAL=1;UNTIL=99991225T055959Z;BYDAY=SA");
  rule = {.start = at("9999-12-31T23:00:00Z")};
  EXPECT_EQ(rrule("Asia/Tokyo"),
            "DTSTART;TZID=Asia/Tokyo:99991231T080000\n"
            "RRULE:FREQ=DAILY;INTERVAL=1;UNTIL=99991230T225959Z");
}

TEST(Occurrences, BeginWithTheYear1) {
  const Occurrences daily({.start = at("0001-01-01T00:00:00Z")}, TimeZone{"America/New_York"});
  EXPECT_EQ(daily.rrule(),
            "DTSTART;TZID=America/New_York:00010101T190358\nRRULE:FREQ=DAILY;INTERVAL=1");
}

// Random rules, near edge cases.
class Rules {
 public:
  explicit Rules(unsigned seed) : random_(seed) {}

  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }
  bool sometimes() { return up_to(2) == 0; }

  const char* zone() {
    static constexpr std::array kZones{"America/New_York",
                                       "Africa/Cairo",
                                       "Australia/Lord_Howe",
                                       "Asia/Kathmandu",
                                       "UTC",
                                       "Africa/Casablanca",
                                       "Europe/Dublin",
                                       "America/Santiago",
                                       "America/Nuuk",
                                       "Asia/Gaza",
                                       "Antarctica/Troll",
                                       "Pacific/Kiritimati"};
    return kZones.at(static_cast<std::size_t>(up_to(sometimes() ? 11 : 3)));
  }

  RecurrenceRule rule() {
    RecurrenceRule made;
    made.pattern = static_cast<Pattern>(up_to(4));
    made.interval = sometimes() ? 1 : 1 + up_to(sometimes() ? 364 : 5);
    if (!sometimes()) made.days_of_week = DaysOfWeek{static_cast<std::uint8_t>(1 + up_to(126))};
    if (!sometimes()) made.day_of_month = sometimes() ? 1 + up_to(27) : 28 + up_to(3);
    if (!sometimes()) made.month_of_year = sometimes() ? 2 : 1 + up_to(11);
    made.start = instant();
    if (sometimes()) {
      made.end = Timestamp{made.start.at + days(sometimes() ? 0 : up_to(900)) + hours(up_to(24))};
    }
    return made;
  }

  // At a quarter of an hour, from 1996 to 2066.
  Timestamp instant() {
    return {at("1996-01-01").at + days(up_to(25'567)) + std::chrono::minutes(15 * up_to(95))};
  }

 private:
  std::mt19937 random_;
};

TEST(Occurrences, AreThoseOfDateutil) {
  Rules rules(20260301);
  testing::Oracle oracle("recurrence_oracle.py");
  for (int i = 0; i < 4'000; ++i) {
    const auto rule = rules.rule();
    const TimeZone zone{rules.zone()};
    const Occurrences occurrences(rule, zone);
    const Timestamp since{rule.start.at + days(rules.up_to(800)) - days(100)};
    auto text = occurrences.rrule();
    text.replace(text.find('\n'), 1, "\t");
    oracle.ask(zone.name + "\t" + rule.start.text() + "\t" + since.text() + "\t8\t" + text,
               listed(occurrences, since, 8));
  }
  oracle.compare();
}

TEST(Occurrences, AreTheSameBackwards) {
  Rules rules(20260302);
  for (int i = 0; i < 2'000; ++i) {
    const auto rule = rules.rule();
    const Occurrences occurrences(rule, TimeZone{rules.zone()});
    auto earlier = occurrences.first_from({rule.start.at + days(rules.up_to(800))});
    for (int n = 0; n < 5 && earlier; ++n) {
      const auto later = occurrences.first_from({earlier->at + milliseconds(1)});
      EXPECT_EQ(occurrences.last_until(*earlier), earlier);
      if (!later) break;
      EXPECT_EQ(occurrences.last_until({later->at - milliseconds(1)}), earlier)
          << occurrences.rrule();
      earlier = later;
    }
  }
}

std::string days_read(std::string_view json) {
  Issues issues;
  const auto read = DaysOfWeek::read_json(*parse_json(json), true, issues, "days");
  if (read) return JsonWriter::text(*read);
  std::string text;
  for (const auto& [path, messages] : issues) text += path + " " + messages.front() + ";";
  return text;
}

TEST(DaysOfWeek, AreSorted) { EXPECT_EQ(days_read("[6,0,3]"), "[0,3,6]"); }

TEST(DaysOfWeek, AreEachNamedOnce) {
  EXPECT_EQ(days_read("[1,2,1]"), "days.2 must not be repeated;");
  EXPECT_EQ(days_read("[]"), "days must not be empty;");
  EXPECT_EQ(days_read("[7,-1]"), "days.0 must be at most 6;days.1 must be at least 0;");
  EXPECT_EQ(days_read("[\"2\", 1.0]"), "[1,2]");
  EXPECT_EQ(days_read("3"), "days must be an array;");
}

}  // namespace
}  // namespace tilth
