// JSON Schemas say what the readers check.

#include "events/json/schema.h"

#include <algorithm>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "events/values/iso_tables.h"
#include "events/values/places.h"
#include "events/values/time_zone.h"

namespace tilth {
namespace {

template <class T>
std::string schema(SchemaOf use) {
  return text_of(schema_of(kTypeForm<T>, use));
}

template <class T>
std::regex pattern() {
  const auto schema = schema_of(kTypeForm<T>, SchemaOf::kRequest);
  const auto* pattern = schema.find("pattern");
  return std::regex(pattern == nullptr ? "" : pattern->text);
}

TEST(Schema, OfARequestSaysHowNamesOfStandardsAreSpelled) {
  EXPECT_EQ(schema<Currency>(SchemaOf::kRequest), R"({"type":"string","pattern":"^[A-Z]{3}$"})");
  EXPECT_EQ(schema<Country>(SchemaOf::kRequest), R"({"type":"string","minLength":2})");
  EXPECT_EQ(schema<std::optional<Currency>>(SchemaOf::kRequest),
            R"({"anyOf":[{"type":"string","pattern":"^[A-Z]{3}$"},{"type":"null"}]})");
}

// Editions of the standards differ, and what is stored stays.
TEST(Schema, OfAnAnswerOrAnEventDoesNot) {
  for (const auto use : {SchemaOf::kAnswer, SchemaOf::kEvent}) {
    EXPECT_EQ(schema<Currency>(use), R"({"type":"string"})");
    EXPECT_EQ(schema<Country>(use), R"({"type":"string"})");
    EXPECT_EQ(schema<TimeZone>(use), R"({"type":"string"})");
  }
}

TEST(Schema, AllowsEveryName) {
  for (const auto code : iso::kCurrencies) {
    EXPECT_TRUE(std::regex_match(std::string(code), pattern<Currency>())) << code;
  }
  for (const auto& spelling : iso::kSpellings) EXPECT_GE(spelling.folded.size(), 2U);
  for (const auto* zone : {"UTC", "Asia/Riyadh", "America/Argentina/Buenos_Aires", "Etc/GMT+12",
                           "America/Port-au-Prince", "EST5EDT", "GB-Eire"}) {
    EXPECT_TRUE(TimeZone::parse(zone)) << zone;
    EXPECT_TRUE(std::regex_match(zone, pattern<TimeZone>())) << zone;
  }
}

TEST(Schema, RefusesWhatIsNoName) {
  for (const auto* text : {"", "usd", "US", "EURO", "EU1"}) {
    EXPECT_FALSE(std::regex_match(text, pattern<Currency>())) << text;
  }
  for (const auto* text : {"", "/", "Asia/", "Asia Riyadh", "/UTC", "UTC\n"}) {
    EXPECT_FALSE(std::regex_match(text, pattern<TimeZone>())) << text;
  }
}

}  // namespace
}  // namespace tilth
