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

}  // namespace
}  // namespace tilth
