#include <string>

#include <gtest/gtest.h>

#include "events/log/refusal.h"

namespace tilth {
namespace {

std::string details_of(std::size_t members, std::size_t messages_each) {
  Error error{ErrorCode::kInvalid, "The request is not valid."};
  for (std::size_t i = 0; i < members; ++i) {
    const auto path = "a." + std::to_string(1'000 + i);
    error.issues[path] = std::vector<std::string>(messages_each, "no");
  }
  return refusal_of(error, {}).details.json;
}

std::size_t count(const std::string& text, const std::string& wanted) {
  std::size_t found = 0;
  for (auto at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) ++found;
  return found;
}

TEST(Refusal, HasEveryMessageUpToAHundred) {
  EXPECT_EQ(count(details_of(100, 1), "\"no\""), 100U);
  EXPECT_EQ(count(details_of(100, 1), "more"), 0U);
  EXPECT_EQ(count(details_of(50, 2), "\"no\""), 100U);
}

TEST(Refusal, SaysHowManyMessagesItLeavesOut) {
  const auto details = details_of(101, 1);
  EXPECT_EQ(count(details, "\"no\""), 99U);
  EXPECT_EQ(count(details, "\"more\":[\"2 more problems are not listed\"]"), 1U) << details;
  EXPECT_EQ(count(details_of(3, 1'000), "\"no\""), 99U);
  EXPECT_EQ(count(details_of(3, 1'000), "2901 more problems"), 1U);
  EXPECT_LT(details_of(250'000, 1).size(), 3'000U);
}

TEST(Refusal, KeepsItsFacts) {
  Error error{ErrorCode::kPlanLimitExceeded, "m", {}, {{"current", std::int64_t{3}}}};
  EXPECT_EQ(refusal_of(error, {}).details.json, R"({"current":3})");
}

}  // namespace
}  // namespace tilth
