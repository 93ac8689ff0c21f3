#include "events/values/time_zone.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "events/values/posix_zone.h"
#include "tests/events/values/oracle.h"

namespace tilth {
namespace {

// The names of zones and links in the database's own text.
std::set<std::string> names_of_the_tz_database() {
  std::ifstream file("/usr/share/zoneinfo/tzdata.zi");
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, first, second;
    words >> kind >> first >> second;
    if (kind == "Z") names.insert(first);
    if (kind == "L") names.insert(second);
  }
  return names;
}

TEST(TimeZone, IsAnyNameOfTheTzDatabaseLinksToo) {
  const auto names = names_of_the_tz_database();
  ASSERT_GT(names.size(), 400u);
  for (const auto& name : names) {
    ASSERT_TRUE(TimeZone::parse(name)) << name;
    EXPECT_EQ(TimeZone::parse(name)->text(), name);
  }
  for (const auto* link : {"US/Eastern", "GMT", "Asia/Calcutta", "UTC", "Etc/GMT+5", "Zulu"}) {
    EXPECT_TRUE(TimeZone::parse(link)) << link;
  }
}

TEST(TimeZone, CoversEveryPlaceOfTheZoneTable) {
  std::ifstream file("/usr/share/zoneinfo/zone.tab");
  int places = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string code, position, name;
    words >> code >> position >> name;
    EXPECT_TRUE(TimeZone::parse(name)) << name;
    ++places;
  }
  EXPECT_GT(places, 300);
}

TEST(TimeZone, NamesNoOtherFile) {
  const auto names = names_of_the_tz_database();
  for (const auto& entry : std::filesystem::recursive_directory_iterator("/usr/share/zoneinfo")) {
    const auto name = entry.path().lexically_relative("/usr/share/zoneinfo").string();
    EXPECT_EQ(TimeZone::parse(name).has_value(), names.count(name) == 1) << name;
  }
}

TEST(TimeZone, IsRefusedUnlessSpelledExactly) {
  for (const std::string_view text :
       {"", "utc", "europe/berlin", "Europe/Berlin ", "Europe", "Europe/", "Europe//Berlin",
        "./Europe/Berlin", "posix/Europe/Berlin", "right/Europe/Berlin", "../zoneinfo/UTC",
        "/usr/share/zoneinfo/UTC", "tzdata.zi", "localtime", "posixrules", "Mars/Olympus", "+03:00",
        "EST5EDT4"}) {
    EXPECT_FALSE(TimeZone::parse(text)) << text;
  }
  EXPECT_FALSE(TimeZone::parse(std::string_view("UTC\0", 4)));
}

std::string today(const char* zone, const char* now) {
  return date_in(TimeZone{zone}, *Timestamp::parse(now)).text();
}

TEST(TimeZone, DecidesWhichDateItIs) {
  EXPECT_EQ(today("UTC", "2026-03-01T23:59:59.999Z"), "2026-03-01");
  EXPECT_EQ(today("Asia/Riyadh", "2026-03-01T20:59:59.999Z"), "2026-03-01");
  EXPECT_EQ(today("Asia/Riyadh", "2026-03-01T21:00Z"), "2026-03-02");
  EXPECT_EQ(today("US/Eastern", "2026-07-01T03:59Z"), "2026-06-30");
  EXPECT_EQ(today("US/Eastern", "2026-01-01T04:59Z"), "2025-12-31");
  EXPECT_EQ(today("Pacific/Kiritimati", "2026-03-01T10:00Z"), "2026-03-02");
  EXPECT_EQ(today("Asia/Kathmandu", "2026-03-01T18:14:59Z"), "2026-03-01");
  EXPECT_EQ(today("Asia/Kathmandu", "2026-03-01T18:15Z"), "2026-03-02");
  EXPECT_EQ(today("Factory", "2026-03-01T23:00Z"), "2026-03-01");
  EXPECT_EQ(today("Gone/Away", "2026-03-01T23:00Z"), "2026-03-01");
}

std::string start(const char* zone, const char* date) {
  return start_of(*Date::parse(date), TimeZone{zone}).text();
}

TEST(TimeZone, DecidesWhenADateBegins) {
  EXPECT_EQ(start("UTC", "2026-03-01"), "2026-03-01T00:00:00.000Z");
  EXPECT_EQ(start("Asia/Riyadh", "2026-03-01"), "2026-02-28T21:00:00.000Z");
  EXPECT_EQ(start("Europe/Berlin", "2026-07-01"), "2026-06-30T22:00:00.000Z");
  EXPECT_EQ(start("Gone/Away", "2026-03-01"), "2026-03-01T00:00:00.000Z");
  // Clocks there go from 23:59:59 to 01:00, and back from 24:00 to 23:00.
  EXPECT_EQ(start("Asia/Beirut", "2025-03-30"), "2025-03-29T22:00:00.000Z");
  EXPECT_EQ(start("America/Havana", "2024-11-03"), "2024-11-03T04:00:00.000Z");
  // Samoa had no 30 December 2011.
  EXPECT_EQ(start("Pacific/Apia", "2011-12-30"), "2011-12-30T10:00:00.000Z");
}

std::chrono::sys_seconds at(std::string_view text) {
  return std::chrono::floor<std::chrono::seconds>(Timestamp::parse(text)->at);
}

// The transitions in the tables end in 2037.
TEST(WallClock, KnowsSummerTimeForEver) {
  const WallClock clock(TimeZone{"America/New_York"});
  for (const auto* summer : {"2026-07-01T12:00Z", "2037-07-01T12:00Z", "2038-07-01T12:00Z",
                             "2400-07-01T12:00Z", "9999-07-01T12:00Z"}) {
    const auto noon = at(summer);
    EXPECT_EQ(clock.shows(noon).time_since_epoch(), noon.time_since_epoch() - std::chrono::hours(4))
        << summer;
    EXPECT_EQ(clock.when(clock.shows(noon)), noon) << summer;
  }
}

// Instants and wall times, also near clock changes, in all zones and far into the future.
TEST(WallClock, ShowsWhatPythonsShow) {
  std::mt19937 random(20260301);
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  testing::Oracle oracle("time_zone_oracle.py");
  const std::vector<std::string> kOften{"America/New_York", "Africa/Cairo", "Australia/Lord_Howe",
                                        "Asia/Gaza",        "America/Nuuk", "Antarctica/Troll"};
  auto names = names_of_the_tz_database();
  names.erase("Factory");
  for (int round = 0; round < 8; ++round) {
    for (auto name : names) {
      if (round > 3) name = kOften.at(static_cast<std::size_t>(up_to(5)));
      const WallClock clock(TimeZone{name});
      const auto begin = at(up_to(1) == 0 ? "1970-01-01" : "2036-01-01");
      const auto instant = begin + std::chrono::minutes(15 * up_to(96 * 365 * 60));
      const auto seconds = std::to_string(instant.time_since_epoch().count());
      oracle.ask("shows\t" + name + "\t" + seconds,
                 std::to_string(clock.shows(instant).time_since_epoch().count()));
      oracle.ask("when\t" + name + "\t" + seconds,
                 std::to_string(
                     clock.when(WallTime(instant.time_since_epoch())).time_since_epoch().count()));
    }
  }
  oracle.compare();
}

std::string offsets(std::string_view rule, std::initializer_list<const char*> instants) {
  const auto zone = PosixZone::parse(rule);
  if (!zone) return "refused";
  std::string text;
  for (const auto* instant : instants) {
    text += std::to_string(zone->offset_at(at(instant)) / std::chrono::minutes(1)) + " ";
  }
  return text;
}

TEST(PosixZone, ChangesByItsRule) {
  EXPECT_EQ(offsets("<+0545>-5:45", {"2040-01-01"}), "345 ");
  EXPECT_EQ(offsets("EST5EDT,M3.2.0,M11.1.0", {"2040-03-11T06:59:59Z", "2040-03-11T07:00Z",
                                               "2040-11-04T05:59:59Z", "2040-11-04T06:00Z"}),
            "-300 -240 -240 -300 ");
  EXPECT_EQ(offsets("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
                    {"2040-01-01", "2040-03-31T14:59Z", "2040-03-31T15:00Z", "2040-10-06T15:30Z"}),
            "660 660 630 660 ");
  EXPECT_EQ(offsets("AAA3BBB,J60/0,300/-1:30", {"2040-03-01T02:59Z", "2040-03-01T03:00Z",
                                                "2040-10-27T00:29Z", "2040-10-27T00:30Z"}),
            "-180 -120 -120 -180 ");
  EXPECT_EQ(
      offsets("XXX3YYY2,0/0,J365/25", {"2040-01-01", "2040-01-01T03:00Z", "2040-12-31T23:00Z"}),
      "-120 -120 -120 ")
      << "summer time all year";
}

TEST(PosixZone, RefusesWhatIsNoRule) {
  for (const auto* text :
       {"", "E5", "EST", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0",
        "EST5EDT,M3.2.0,M11.1.0,", "<+03-3", "EST25", "EST5EDT,M3.0.0,M11.1.0"}) {
    EXPECT_EQ(offsets(text, {}), "refused") << text;
  }
}

}  // namespace
}  // namespace tilth
