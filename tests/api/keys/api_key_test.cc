#include "api/keys/api_key.h"

#include <gtest/gtest.h>

#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

// The members that are refused, with the first sentence about each.
std::string refused(const std::string& members) {
  Issues issues;
  read_key_details(R"({"name":"Robot","scopes":["farms:read"])" + members + "}", kNow, issues);
  std::string text;
  for (const auto& [member, sentences] : issues) text += member + " " + sentences.front() + "\n";
  return text;
}

TEST(KeyDetails, ExpireAfterTheyAreMade) {
  EXPECT_EQ(refused(R"(,"expiresAt":")" + Timestamp{kNow.at + std::chrono::milliseconds(1)}.text() +
                    R"(")"),
            "");
  EXPECT_EQ(refused(R"(,"expiresAt":")" + kNow.text() + R"(")"),
            "expiresAt must be in the future\n");
}

TEST(KeyDetails, NameEachScopeOnce) {
  Issues issues;
  read_key_details(R"({"name":"Robot","scopes":["farms:read","crops:read","farms:read"]})", kNow,
                   issues);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues.begin()->first, "scopes.2");
  EXPECT_EQ(issues.begin()->second.front(), "must not be given twice");
}

}  // namespace
}  // namespace tilth::testing
