#include "events/values/duration.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

std::string later(const char* start, const char* duration) {
  const auto by = CalendarDuration::parse(duration);
  const auto reached = after(Timestamp::parse(start).value(), by.value());
  return reached ? reached->text() : "never";
}

TEST(CalendarDuration, IsReadFromItsParts) {
  EXPECT_EQ(CalendarDuration::parse("PT24H"), (CalendarDuration{0, 86'400'000}));
  EXPECT_EQ(CalendarDuration::parse("P1M"), (CalendarDuration{1, 0}));
  EXPECT_EQ(CalendarDuration::parse("PT1M"), (CalendarDuration{0, 60'000}));
  EXPECT_EQ(CalendarDuration::parse("P2W"), (CalendarDuration{0, 14 * 86'400'000LL}));
  EXPECT_EQ(CalendarDuration::parse("PT0S"), (CalendarDuration{0, 0}));
  EXPECT_EQ(CalendarDuration::parse("PT1.5S"), (CalendarDuration{0, 1'500}));
  EXPECT_EQ(CalendarDuration::parse("PT0,25S"), (CalendarDuration{0, 250}));
  EXPECT_EQ(CalendarDuration::parse("P1Y2M3DT4H5M6S"),
            (CalendarDuration{14, 3 * 86'400'000LL + 4 * 3'600'000 + 5 * 60'000 + 6'000}));
}

TEST(CalendarDuration, RefusesNonsense) {
  for (const auto* nonsense :
       {"",      "P",         "PT",     "P1",          "P1DT",          "1D",
        "-P1D",  "P-1D",      "P1D ",   " P1D",        "p1d",           "P1H",
        "PT1D",  "P1D2D",     "P1D1M",  "PT1S1M",      "P1.5D",         "PT1.S",
        "PT.5S", "PT1.2345S", "PT1T2S", "P1Y1",        "P1234567890D",  "P1D\n",
        "24h",   "PT1.5M",    "P1S",    "P999999999W", "P999999999Y12M"}) {
    EXPECT_FALSE(CalendarDuration::parse(nonsense)) << nonsense;
  }
}

TEST(CalendarDuration, IsWrittenAsItIsRead) {
  for (const auto* text :
       {"PT0S", "PT24H", "P1Y2M3DT4H5M6S", "P1M", "PT0.5S", "PT1.025S", "P14D", "P999999999D"}) {
    const auto duration = CalendarDuration::parse(text).value();
    EXPECT_EQ(CalendarDuration::parse(duration.text()), duration) << text;
  }
  EXPECT_EQ(CalendarDuration::parse("PT36H").value().text(), "P1DT12H");
  EXPECT_EQ(CalendarDuration::parse("PT0.5S").value().text(), "PT0.5S");
  EXPECT_EQ(CalendarDuration::parse("P18M").value().text(), "P1Y6M");
}

TEST(CalendarDuration, GoesByTheCalendarAndIsClampedToTheLastDay) {
  EXPECT_EQ(later("2026-01-31T10:00:00.000Z", "P1M"), "2026-02-28T10:00:00.000Z");
  EXPECT_EQ(later("2028-01-31T10:00:00.000Z", "P1M"), "2028-02-29T10:00:00.000Z");
  EXPECT_EQ(later("2028-02-29T00:00:00.000Z", "P1Y"), "2029-02-28T00:00:00.000Z");
  EXPECT_EQ(later("2026-01-31T00:00:00.000Z", "P2M"), "2026-03-31T00:00:00.000Z");
  EXPECT_EQ(later("2026-12-15T23:59:59.999Z", "P1M"), "2027-01-15T23:59:59.999Z");
  EXPECT_EQ(later("2026-01-31T22:00:00.000Z", "P1MT4H"), "2026-03-01T02:00:00.000Z");
  EXPECT_EQ(later("2026-03-28T12:00:00.000Z", "PT24H"), "2026-03-29T12:00:00.000Z");
}

TEST(CalendarDuration, NeverPassesTheYear9999) {
  EXPECT_EQ(later("9999-12-31T23:59:59.998Z", "PT0.001S"), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(later("9999-12-31T23:59:59.999Z", "PT0.001S"), "never");
  EXPECT_EQ(later("2026-01-01", "P999999999Y"), "never");
  EXPECT_EQ(later("2026-01-01", "P999999999D"), "never");
  EXPECT_EQ(later("2026-01-01", "P7973Y"), "9999-01-01T00:00:00.000Z");
  EXPECT_EQ(later("2026-01-01", "P7974Y"), "never");
}

}  // namespace
}  // namespace tilth
