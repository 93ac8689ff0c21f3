#include "events/json/json_reader.h"

#include <gtest/gtest.h>

#include "events/json/json_writer.h"
#include "events/values/geometry.h"

namespace tilth {
namespace {

// The longitude of a place, read and written again, or its error.
std::string longitude(const std::string& number, Reading how = Reading::kRequest) {
  const auto json = parse_json(R"({"lat":0,"lng":)" + number + "}");
  if (!json) return "no JSON";
  LatLng place;
  Issues issues;
  JsonReader::read(*json, how, place, issues);
  std::string text;
  for (const auto& [path, messages] : issues) {
    for (const auto& message : messages) text += path + " " + message + ";";
  }
  return issues.empty() ? JsonWriter::text(place.lng) : text;
}

constexpr auto kTooManyDigits = "lng has too many digits: up to 15 are always kept;";

TEST(NumbersThatAreNoDecimals, AreReadHoweverTheyAreWritten) {
  for (const auto& [written, answered] :
       {std::pair("17.25", "17.25"), std::pair("-0.0", "0"), std::pair("1.50e1", "15"),
        std::pair("\"+1.5\"", "1.5"), std::pair("\"007\"", "7"), std::pair("0e99999999999", "0"),
        std::pair("180.000000000000000000000", "180"),
        std::pair("123456789012345e-14", "1.23456789012345"),
        std::pair("35.123456789012344", "35.123456789012344"),
        std::pair("0.30000000000000004", "0.30000000000000004"),
        std::pair("35.123456789012345", "35.123456789012344"),
        std::pair("0.30000000000000001", "0.3"), std::pair("-122.419415500000004", "-122.4194155"),
        std::pair("0.0000000000000000000000123", "1.23e-23"), std::pair("-5e-324", "-5e-324")}) {
    EXPECT_EQ(longitude(written), answered) << written;
  }
}

TEST(NumbersThatAreNoDecimals, HaveNoMoreDigitsThanProgramsWriteOfThem) {
  for (const std::string written :
       {"180.0000000000000000001", "-180.00000000000001", "1.23456789012345678901",
        "0.1000000000000000000000000000001", "1e-400", "\"-1e-400\"", "1e-99999999999999999999",
        "2e-324", "1e400", "\"-1e99999999999999999999\"", "\"17.638900000000000001\""}) {
    EXPECT_EQ(longitude(written), kTooManyDigits) << written;
  }
  EXPECT_EQ(longitude("0." + std::string(300'000, '1')), kTooManyDigits);
}

TEST(NumbersThatAreNoDecimals, AreToldEverythingThatIsWrong) {
  EXPECT_EQ(longitude("180.00000000000003"), "lng must be at most 180;");
  EXPECT_EQ(longitude("-200.1234567890123456789"),
            "lng must be at least -180;lng has too many digits: up to 15 are always kept;");
  for (const auto* written : {"\"\"", "\"x\"", "true", "[1]", "\"1.\"", "\"inf\"", "\"0x1\""}) {
    EXPECT_EQ(longitude(written), "lng must be a number;") << written;
  }
}

TEST(NumbersThatAreNoDecimals, OfAStoredEventAreTheNearestDouble) {
  EXPECT_EQ(longitude("999.00000000000000000001", Reading::kStored), "999");
  EXPECT_EQ(longitude("0.30000000000000001", Reading::kStored), "0.3");
}

}  // namespace
}  // namespace tilth
