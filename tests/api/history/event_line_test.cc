// An event's line is read back as the record that it was written from.

#include "api/v1/history/event_line.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace tilth {
namespace {

std::string removal_with(const std::string& members) {
  return R"({"specversion":"1.0","id":"01a1fd7a-e86e-7de9-b51a-1aaf19f89ae6","source":"a",)"
         R"("type":"tilth.farm.removed","subject":"user_1","time":"2026-03-01T06:30:00.123Z",)"
         R"("datacontenttype":"application/json","streamversion":3,"schemaversion":1,)" +
         members +
         R"("data":{"farmId":"01a1fd7a-e86e-7de9-b51a-1aaf19f89ae5",)"
         R"("removedAt":"2026-03-01T06:30:00.123Z"}})";
}

TEST(EventLine, IsReadBackAsItWasWritten) {
  const auto record = read_event_line(
      removal_with(R"("idempotencykey":"k","requesthash":"h","actor":"key_1","predecessor":"b",)"));
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->envelope.idempotency, (Idempotency{"k", "h"}));
  std::string line;
  append_event_line({{0, 7}, std::make_shared<const Record>(*record)}, true, line);
  line.pop_back();
  const auto again = read_event_line(line);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *record);
}

// Other programs write no hash.
TEST(EventLine, WithAKeyAloneIsReadBackToo) {
  const auto record = read_event_line(removal_with(R"("idempotencykey":"k",)"));
  ASSERT_TRUE(record) << record.error().message;
  std::string line;
  append_event_line({{0, 7}, std::make_shared<const Record>(*record)}, true, line);
  line.pop_back();
  const auto again = read_event_line(line);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *record);
}

TEST(EventLine, HasNoHashOfARequestWithoutItsKey) {
  const auto hashed = read_event_line(removal_with(R"("requesthash":"h",)"));
  ASSERT_FALSE(hashed);
  EXPECT_EQ(hashed.error().message, "idempotencykey is missing");
}

std::string refused(std::string line, const std::string& was, const std::string& is) {
  line.replace(line.find(was), was.size(), is);
  const auto record = read_event_line(line);
  return record ? "taken" : record.error().message;
}

TEST(EventLine, IsInAStreamToWhichTheServiceWritesSuchEvents) {
  const auto removal = removal_with("");
  for (const auto* stream : {"access", "audit", "reference"}) {
    EXPECT_EQ(refused(removal, "user_1", stream),
              std::string("tilth.farm.removed is no event of the stream ") + stream);
  }
  auto disabled = removal_with("");
  const auto data = disabled.find(R"("data":)");
  disabled.resize(data);
  disabled += R"("data":{"userId":"user_1","disabledAt":"2026-03-01T06:30:00.123Z"}})";
  EXPECT_EQ(refused(disabled, "farm.removed", "user.disabled"),
            "tilth.user.disabled is no event of the stream user_1");
  disabled.replace(disabled.find("user_1"), 6, "access");
  EXPECT_EQ(refused(disabled, "farm.removed", "user.disabled"), "taken");
}

TEST(EventLine, HasNoDataThatItsTypeDoesNotKnow) {
  const auto removal = removal_with("");
  EXPECT_EQ(refused(removal, R"("farmId")", R"("because":"Ada moved","farmId")"),
            "data.because is not known");
  EXPECT_EQ(refused(removal, R"("farmId")", R"("because":null,"farmId")"), "taken");
}

std::string line_of(const std::string& type, const std::string& data,
                    const std::string& stream = "user_1") {
  return R"({"specversion":"1.0","id":"01a1fd7a-e86e-7de9-b51a-1aaf19f89ae6","source":"a","type":")" +
         type + R"(","subject":")" + stream +
         R"(","time":"2026-03-01T06:30:00.123Z","datacontenttype":"application/json",)"
         R"("streamversion":3,"schemaversion":1,"data":)" +
         data + "}";
}

TEST(EventLine, HasNoValueThatNoRequestCouldHaveSet) {
  const auto id = [](char digit) {
    return "\"00000000-0000-4000-8000-00000000000" + std::string(1, digit) + "\"";
  };
  const auto report = line_of(
      "tilth.price_report.recorded",
      R"({"priceReportId":)" + id('1') + R"(,"farmId":)" + id('2') +
          R"(,"cropName":"Wheat","price":"100","unit":"per_bushel","quantity":"2","currency":"JPY",)"
          R"("observedOn":"2026-02-20","recordedAt":"2026-03-01T06:30:00.000Z","bushelWeightKg":"27"})");
  EXPECT_TRUE(read_event_line(report)) << read_event_line(report).error().message;
  EXPECT_EQ(refused(report, R"("100")", R"("-100")"), "data.price must be more than 0");
  EXPECT_EQ(refused(report, R"("27")", R"("0")"), "data.bushelWeightKg must be more than 0");
  EXPECT_EQ(refused(report, "JPY", "J"), "data.currency must be an ISO 4217 currency code");
  EXPECT_EQ(refused(report, "JPY", "XYZ"), "taken") << "there may once have been such a currency";
  EXPECT_EQ(refused(report, "Wheat", R"(Wh\u0000eat)"), "data.cropName must not contain U+0000");

  const auto rates = line_of("tilth.exchange_rate.imported",
                             R"({"source":"ECB","days":[{"day":"2026-02-19","rates":[{"currency":)"
                             R"("USD","perEuro":"1.2"}]}],"changed":1,)"
                             R"("importedAt":"2026-03-01T06:30:00.000Z"})",
                             "reference");
  EXPECT_TRUE(read_event_line(rates)) << read_event_line(rates).error().message;
  EXPECT_EQ(refused(rates, "1.2", "0"), "data.days.0.rates.0.perEuro must be more than 0");
}

}  // namespace
}  // namespace tilth
