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

}  // namespace
}  // namespace tilth
