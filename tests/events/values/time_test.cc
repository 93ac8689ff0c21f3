#include "events/values/time.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

std::string instant(std::string_view text) {
  const auto parsed = Timestamp::parse(text);
  return parsed ? parsed->text() : "refused";
}

std::string date(std::string_view text) {
  const auto parsed = Date::parse(text);
  return parsed ? parsed->text() : "refused";
}

TEST(Timestamp, IsReadWithAnyOffsetAndShownInUtc) {
  EXPECT_EQ(instant("2026-03-01T02:30:00Z"), "2026-03-01T02:30:00.000Z");
  EXPECT_EQ(instant("2026-03-01t02:30:00z"), "2026-03-01T02:30:00.000Z");
  EXPECT_EQ(instant("2026-03-01T02:30+03:00"), "2026-02-28T23:30:00.000Z");
  EXPECT_EQ(instant("2026-03-01T02:30:00.98765-00:30"), "2026-03-01T03:00:00.987Z");
  EXPECT_EQ(instant("2026-03-01T02:30:00-00:00"), "2026-03-01T02:30:00.000Z");
  EXPECT_EQ(instant("2026-03-01T23:59:59.999+23:59"), "2026-03-01T00:00:59.999Z");
  EXPECT_EQ(instant("2024-02-29T23:59:59-23:59"), "2024-03-01T23:58:59.000Z");
  EXPECT_EQ(instant("1969-12-31T23:59:59.001Z"), "1969-12-31T23:59:59.001Z");
}

TEST(Timestamp, CutsFractionsOfAnyLengthToTheMillisecond) {
  EXPECT_EQ(instant("2026-03-01T02:30:00.9Z"), "2026-03-01T02:30:00.900Z");
  EXPECT_EQ(instant("2026-03-01T02:30:00.05Z"), "2026-03-01T02:30:00.050Z");
  EXPECT_EQ(instant("2026-03-01T02:30:59.9999999999Z"), "2026-03-01T02:30:59.999Z");
  EXPECT_EQ(instant("1969-12-31T23:59:59.0009Z"), "1969-12-31T23:59:59.000Z");
  EXPECT_EQ(instant("2026-03-01T02:30:00." + std::string(1 << 20, '9') + "Z"),
            "2026-03-01T02:30:00.999Z");
}

TEST(Timestamp, TakesAPlainDateAsThatDaysMidnightInUtc) {
  EXPECT_EQ(instant("2026-03-01"), "2026-03-01T00:00:00.000Z");
}

TEST(Timestamp, RefusesWhatIsNoInstant) {
  for (const auto* text : {"",
                           "2026",
                           "2026-03",
                           "2026-03-01T",
                           "2026-03-01T02",
                           "2026-03-01T02Z",
                           "2026-03-01T02:30",
                           "2026-03-01T02:30:00",
                           "2026-03-01T2:30:000Z",
                           "2026-03-01T02:30:0Z",
                           "2026-03-01T02:30:00.Z",
                           "2026-03-01T02:30.5Z",
                           "2026-03-01T02:30:00,5Z",
                           "2026-03-01T02:30Z ",
                           " 2026-03-01T02:30Z",
                           "2026-03-01T02:30ZZ",
                           "2026-03-01 02:30Z",
                           "2026-03-01T24:00:00Z",
                           "2026-03-01T23:60:00Z",
                           "2026-03-01T23:59:60Z",
                           "2016-12-31T23:59:60Z",
                           "2026-03-01T02:30+0300",
                           "2026-03-01T02:30+03",
                           "2026-03-01T02:30+24:00",
                           "2026-03-01T02:30+03:60",
                           "2026-03-01T02:30+3:00",
                           "2026-03-01T02:30\xE2\x88\x92"
                           "03:00",
                           "2026-03-01T02:30+03:00Z",
                           "20260301T023000Z",
                           "2026-W09-7",
                           "2026-060",
                           "2026-03-01T-2:30Z",
                           "2026-03-01T+2:30Z",
                           "-026-03-01",
                           "+2026-03-01",
                           "12026-03-01",
                           "2026/03/01",
                           "2026-00-01",
                           "2026-13-01",
                           "2026-01-00",
                           "1772348400"}) {
    EXPECT_EQ(instant(text), "refused") << text;
  }
  EXPECT_EQ(instant(std::string_view("2026-03-01T02:30Z\0", 18)), "refused");
}

TEST(Timestamp, StaysInTheYears0000To9999) {
  EXPECT_EQ(instant("0000-01-01T00:00Z"), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(instant("9999-12-31T23:59:59.999Z"), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(instant("0000-01-01T00:00-00:01"), "0000-01-01T00:01:00.000Z");
  EXPECT_EQ(instant("0000-01-01T00:00+00:01"), "refused");
  EXPECT_EQ(instant("9999-12-31T23:59-00:01"), "refused");
}

TEST(Timestamp, KeysSortAsInstantsDo) {
  std::string last;
  for (const auto* text :
       {"0000-01-01", "1969-12-31T23:59:59.999Z", "1970-01-01", "1970-01-01T00:00:00.255Z",
        "1970-01-01T00:00:00.256Z", "2026-03-01", "9999-12-31"}) {
    const auto key = Timestamp::parse(text)->sort_key();
    EXPECT_EQ(key.size(), 8u);
    EXPECT_LT(last, key) << text;
    last = key;
  }
}

TEST(Date, KeepsADatetimesDateAsWritten) {
  EXPECT_EQ(date("2026-03-01"), "2026-03-01");
  EXPECT_EQ(date("2024-02-29T23:00:00-05:00"), "2024-02-29");
  EXPECT_EQ(date("2024-02-29T00:30+14:00"), "2024-02-29");
  EXPECT_EQ(date("0000-01-01T00:00+01:00"), "0000-01-01");
  EXPECT_EQ(date("2026-03-01T10:00"), "2026-03-01") << "ISO 8601 needs no offset, nor does a date";
  EXPECT_EQ(date("2026-03-01T23:59:59.999"), "2026-03-01");
}

TEST(Date, IsRefusedWhenTheCalendarHasNone) {
  for (const auto* text :
       {"2026-02-29", "2026-02-30", "2100-02-29", "2026-04-31", "2026-1-1", "2026-2-01",
        "2026-3-010", "2026-03-01x", "2026-03-01T", "2026-03-01T25:00Z", "2026-03-01T10:60",
        "2026-03-01T10:00x", "", "01-03-2026"}) {
    EXPECT_EQ(date(text), "refused") << text;
  }
  EXPECT_EQ(date("2000-02-29"), "2000-02-29");
}

TEST(Date, EveryDayFrom0000To9999ReadsBackAndKeysSort) {
  const auto first = Date::parse("0000-01-01")->day, last = Date::parse("9999-12-31")->day;
  std::string key;
  std::string text;
  for (auto day = first; day <= last; day += std::chrono::days(1)) {
    const Date date{day};
    const auto next = date.text();
    ASSERT_EQ(Date::parse(next), date);
    ASSERT_LT(text, next);
    ASSERT_LT(key, date.sort_key());
    text = next;
    key = date.sort_key();
  }
  EXPECT_EQ(key.size(), 4u);
}

TEST(Date, OutsideTheFourDigitYearsIsStillWrittenInFull) {
  using std::chrono::days;
  EXPECT_EQ((Date{Date::parse("9999-12-31")->day + days(1)}.text()), "10000-01-01");
  EXPECT_EQ((Timestamp{Date::parse("0000-01-01")->day - days(1)}.text()), "-1-12-31T00:00:00.000Z");
}

}  // namespace
}  // namespace tilth
