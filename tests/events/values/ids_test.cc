#include "events/values/ids.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <gtest/gtest.h>

namespace tilth {
namespace {

// Bytes that count up, so that each of them is recognisable.
IdSource counting() {
  return IdSource([next = std::uint8_t{0}](std::uint8_t* bytes, std::size_t count) mutable {
    for (std::size_t i = 0; i < count; ++i) bytes[i] = next++;
  });
}

TEST(Uuid, IsReadInEitherCaseAndWrittenInLowerCase) {
  const auto uuid = Uuid::parse("0123aBcD-4567-89EF-fedc-BA9876543210");
  ASSERT_TRUE(uuid);
  EXPECT_EQ(uuid->text(), "0123abcd-4567-89ef-fedc-ba9876543210");
  EXPECT_EQ(uuid->bytes[0], 0x01);
  EXPECT_EQ(uuid->bytes[15], 0x10);
}

TEST(Uuid, IsRefusedInAnyOtherForm) {
  for (const std::string_view text :
       {"", "0123abcd456789effedcba9876543210", "{0123abcd-4567-89ef-fedc-ba987654321}",
        "0123abcd-4567-89ef-fedc-ba987654321", "0123abcd-4567-89ef-fedc-ba98765432100",
        "0123abcd-4567-89ef-fedc-ba987654321g", "0123abcd-4567-89ef-fedc-ba987654321-",
        "0123abcd_4567-89ef-fedc-ba9876543210", "0123abcd4-567-89ef-fedc-ba9876543210",
        "0123abcd-4567-89ef-fedcb-a9876543210", " 123abcd-4567-89ef-fedc-ba9876543210",
        "0123abcd-4567-89ef-fedc-ba98765432\xC3\xA9"}) {
    EXPECT_FALSE(Uuid::parse(text)) << text;
  }
}

TEST(Uuid, RefusesEveryByteThatIsNoHexadecimalDigit) {
  std::string accepted;
  for (int byte = 0; byte < 256; ++byte) {
    for (const std::size_t place : {0, 12, 35}) {
      std::string text = "0123abcd-4567-89ef-fedc-ba9876543210";
      text[place] = static_cast<char>(byte);
      if (Uuid::parse(text) && place == 0) accepted += static_cast<char>(byte);
      EXPECT_EQ(Uuid::parse(text).has_value(), std::isxdigit(byte) != 0) << byte << " at " << place;
    }
  }
  EXPECT_EQ(accepted, "0123456789ABCDEFabcdef");
}

TEST(Uuid, ComesBackFromItsKeyAndKeysSortAsUuidsDo) {
  const auto low = *Uuid::parse("01000000-0000-0000-0000-0000000000ff");
  const auto high = *Uuid::parse("f1000000-0000-0000-0000-000000000000");
  EXPECT_EQ(Uuid::from_key(std::string(low.key())), low);
  EXPECT_LT(low, high);
  EXPECT_LT(low.key(), high.key());
}

TEST(IdSource, MakesVersion7UuidsOfTheMillisecondAndRandomBits) {
  const auto now = *Timestamp::parse("2026-03-01T06:30:00.123Z");
  const auto uuid = counting().uuid(now);
  EXPECT_EQ(uuid.text(), "019ca816-eabb-7001-8203-040506070809");
  std::uint64_t milliseconds = 0;
  for (std::size_t i = 0; i < 6; ++i) milliseconds = milliseconds << 8 | uuid.bytes[i];
  EXPECT_EQ(milliseconds, static_cast<std::uint64_t>(now.at.time_since_epoch().count()));
}

TEST(IdSource, KeepsVersionAndVariantWhateverTheRandomBits) {
  const IdSource ones(
      [](std::uint8_t* bytes, std::size_t count) { std::fill_n(bytes, count, 0xFF); });
  EXPECT_EQ(ones.uuid({}).text(), "00000000-0000-7fff-bfff-ffffffffffff");
}

TEST(IdSource, MakesUuidsThatSortByTime) {
  const auto ids = counting();
  const auto early = ids.uuid(*Timestamp::parse("2026-03-01T06:30:00.255Z"));
  const auto late = ids.uuid(*Timestamp::parse("2026-03-01T06:30:00.256Z"));
  EXPECT_LT(early, late);
}

TEST(IdSource, MakesNanoidsOf21UrlSafeCharactersNoneMoreOftenThanAnother) {
  const auto ids = counting();
  std::map<char, int> seen;
  for (int i = 0; i < 256; ++i) {
    const auto id = ids.nanoid("user_");
    ASSERT_EQ(id.size(), 26u);
    ASSERT_TRUE(id.starts_with("user_"));
    for (const char c : id.substr(5)) ++seen[c];
  }
  EXPECT_EQ(seen.size(), 64u);
  for (const auto& [character, times] : seen) {
    EXPECT_EQ(times, 21 * 256 / 64) << character;
    EXPECT_TRUE(std::isalnum(character) != 0 || character == '_' || character == '-') << character;
  }
}

TEST(IdSource, WritesRandomBytesAsLowerCaseHex) {
  EXPECT_EQ(counting().hex(11), "000102030405060708090a");
  EXPECT_EQ(counting().hex(0), "");
}

}  // namespace
}  // namespace tilth
