#include "events/values/places.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include "events/json/json.h"

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

// The text as it is, in lower case, in upper case, and in alternating case.
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
  EXPECT_EQ(currency("AQ"), "USD") << "Antarctica has no currency";
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

}  // namespace
}  // namespace tilth
