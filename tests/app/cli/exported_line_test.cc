// What leaves the service with an exported event.

#include "app/cli/commands/exported_line.h"

#include <gtest/gtest.h>

namespace tilth::cli {
namespace {

std::string line_of(const std::string& type, const std::string& data) {
  return R"({"specversion":"1.0","type":")" + type + R"(","data":)" + data + "}";
}

constexpr auto kRegistered = "tilth.user.registered", kAmended = "tilth.user.amended";

TEST(ExportedLine, OfAUserHasNullInPlaceOfThePasswordHash) {
  for (const auto* type : {kRegistered, kAmended}) {
    EXPECT_EQ(without_password_hash(line_of(
                  type, R"({"email":"a@b.example","passwordHash":"$argon2id$x","plan":"a"})")),
              line_of(type, R"({"email":"a@b.example","passwordHash":null,"plan":"a"})"));
  }
}

TEST(ExportedLine, OfAUserNamedLikeTheMemberHasNullInPlaceOfThePasswordHash) {
  EXPECT_EQ(without_password_hash(
                line_of(kRegistered, R"({"name":"passwordHash","passwordHash":"$argon2id$x"})")),
            line_of(kRegistered, R"({"name":"passwordHash","passwordHash":null})"));
}

TEST(ExportedLine, OfAMemberThatIsSpelledWithEscapesHasNullInPlaceOfThePasswordHash) {
  EXPECT_EQ(without_password_hash(line_of(kRegistered, R"({"password\u0048ash" : "$argon2id$x"})")),
            line_of(kRegistered, R"({"password\u0048ash" : null})"));
}

TEST(ExportedLine, OfAUserWithTwoPasswordHashesHasNullInPlaceOfBoth) {
  EXPECT_EQ(without_password_hash(line_of(kAmended, R"({"passwordHash":"a","passwordHash":"b"})")),
            line_of(kAmended, R"({"passwordHash":null,"passwordHash":null})"));
}

TEST(ExportedLine, KeepsWhatOwnersCallLikeThat) {
  const auto farm =
      line_of("tilth.farm.registered",
              R"({"metadata":{"passwordHash":"mine","type":"tilth.user.registered"}})");
  EXPECT_EQ(without_password_hash(farm), farm);
  const auto nested = line_of(kAmended, R"({"name":"a","other":{"passwordHash":"mine"}})");
  EXPECT_EQ(without_password_hash(nested), nested);
}

TEST(ExportedLine, IsUnchangedIfItIsNoEvent) {
  for (const auto* line : {"", "tilth.user.registered", "[\"tilth.user.registered\"]",
                           R"({"type":"tilth.user.registered"})"}) {
    EXPECT_EQ(without_password_hash(line), line);
  }
}

}  // namespace
}  // namespace tilth::cli
