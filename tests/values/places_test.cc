#include "events/places.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include "events/json.h"

namespace tilth {
namespace {

Json iso_codes(const std::string& standard) {
  std::ifstream file(TILTH_ISO_CODES "/iso_" + standard + ".json");
  std::stringstream text;
  text << file.rdbuf();
  auto document = parse_json(text.str());
  return document ? *document->find(standard) : Json{};
}

std::string utf8(const icu::UnicodeString& text) {
  std::string result;
  return text.toUTF8String(result);
}

// As it is, in lower and upper case, and lower and upper by turns.
std::vector<std::string> in_any_case(const std::string& text) {
  const auto given = icu::UnicodeString::fromUTF8(text);
  icu::UnicodeString mixed;
  for (int32_t i = 0; i < given.length(); ++i) {
    icu::UnicodeString one(given[i]);
    mixed += i % 2 == 0 ? one.toLower(icu::Locale::getRoot()) : one.toUpper(icu::Locale::getRoot());
  }
  auto lower = given, upper = given;
  return {text, utf8(lower.toLower(icu::Locale::getRoot())),
          utf8(upper.toUpper(icu::Locale::getRoot())), utf8(mixed)};
}

std::string country(std::string_view text) {
  const auto parsed = Country::parse(text);
  return parsed ? parsed->text() : "refused";
}

TEST(Country, IsTakenByEachOfItsNamesAndCodesInAnyCase) {
  const auto countries = iso_codes("3166-1");
  ASSERT_GT(countries.children.size(), 240u);
  for (const auto& [none, entry] : countries.children) {
    const auto* common = entry.find("common_name");
    const auto kept = (common != nullptr ? common : entry.find("name"))->text;
    for (const auto* key : {"name", "common_name", "official_name", "alpha_2", "alpha_3"}) {
      if (entry.find(key) == nullptr) continue;
      for (const auto& text : in_any_case(entry.find(key)->text)) {
        EXPECT_EQ(country(text), kept) << text;
      }
    }
    EXPECT_THAT(Country{kept}.currency(), ::testing::MatchesRegex("[A-Z][A-Z][A-Z]"));
  }
}

TEST(Country, IsKeptByItsCommonNameOrElseItsName) {
  EXPECT_EQ(country("bolivia, plurinational state of"), "Bolivia");
  EXPECT_EQ(country("VIET NAM"), "Vietnam");
  EXPECT_EQ(country("sa"), "Saudi Arabia");
  EXPECT_EQ(country("kor"), "South Korea");
  EXPECT_EQ(country("ÅLAND ISLANDS"), "Åland Islands");
  EXPECT_EQ(country("CÔTE D'IVOIRE"), "Côte d'Ivoire");
  EXPECT_EQ(country("CURAÇAO"), "Curaçao");
}

TEST(Country, IsRefusedWhenIsoCodesDoesNotKnowIt) {
  for (const std::string_view text :
       {"", " ", "Atlantis", "XX", "XXX", "UK", "EU", "840", "Germany ", " DE", "Cote d'Ivoire",
        "\xC3", "\xC3(", "\xEF\xBF\xBD"}) {
    EXPECT_EQ(country(text), "refused") << text;
  }
  EXPECT_EQ(country(std::string_view("DE\0", 3)), "refused");
  EXPECT_EQ(country(std::string(1 << 20, 'a')), "refused");
}

TEST(Country, HasTheCurrencyThatIcuCallsItsLegalTender) {
  const auto currency = [](const char* code) { return Country::parse(code)->currency(); };
  EXPECT_EQ(currency("DE"), "EUR");
  EXPECT_EQ(currency("HR"), "EUR");
  EXPECT_EQ(currency("SA"), "SAR");
  EXPECT_EQ(currency("EG"), "EGP");
  EXPECT_EQ(currency("CH"), "CHF");
  EXPECT_EQ(currency("JP"), "JPY");
  EXPECT_EQ(currency("VE"), "VES");
  EXPECT_EQ(currency("AQ"), "USD") << "Antarctica has none";
  EXPECT_EQ(Country::stored("Yugoslavia").currency(), "USD");
}

TEST(Currency, IsAnIso4217CodeInUpperCase) {
  const auto currencies = iso_codes("4217");
  ASSERT_GT(currencies.children.size(), 150u);
  for (const auto& [none, entry] : currencies.children) {
    const auto& code = entry.find("alpha_3")->text;
    ASSERT_TRUE(Currency::parse(code)) << code;
    EXPECT_EQ(Currency::parse(code)->text(), code);
  }
  for (const auto* text : {"", "eur", "Eur", "EU", "EURO", "DEM", "ZZZ", "EUR ", "978"}) {
    EXPECT_FALSE(Currency::parse(text)) << text;
  }
}

TEST(Currency, HasTheMinorUnitOfIcu) {
  EXPECT_EQ(Currency{"EUR"}.minor_digits(), 2);
  EXPECT_EQ(Currency{"JPY"}.minor_digits(), 0);
  EXPECT_EQ(Currency{"KWD"}.minor_digits(), 3);
  EXPECT_EQ(Currency{"DEM"}.minor_digits(), 2) << "withdrawn, but kept in old rows";
}

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

}  // namespace
}  // namespace tilth
