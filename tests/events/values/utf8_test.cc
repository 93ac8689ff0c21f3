#include "events/values/utf8.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::string_literals;

struct IllFormed {
  std::string bytes, shown;
};

const IllFormed kIllFormed[] = {
    {"\xFF", "?"},
    {"plain, then \x80", "plain, then ?"},
    {"\xC0\x80", "??"},            // NUL in two bytes
    {"\xE0\x9F\xBF", "???"},       // longer than it has to be
    {"\xED\xA0\x80", "???"},       // a surrogate
    {"\xF4\x90\x80\x80", "????"},  // beyond U+10FFFF
    {"\xC3", "?"},                 // cut off
    {"\xE2\x82", "?"},
    {"\xE2\x82 after", "? after"},
    {"12345678\xF0\x9F\x8C", "12345678?"},
    {"\xC3\xA9\xFF\xC3\xA9", "\xC3\xA9?\xC3\xA9"},
};

TEST(Utf8, IsWellFormedUpToTheLastCodePoint) {
  for (const auto& text : {""s, "12345678"s, "a\0b"s, "\x7F"s, "\xC2\x80"s, "\xED\x9F\xBF"s,
                           "\xEF\xBF\xBF"s, "\xF0\x90\x80\x80"s, "\xF4\x8F\xBF\xBF"s}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_EQ(well_formed(text), text);
  }
}

TEST(Utf8, IsNotWhatIsIllFormed) {
  for (const auto& [bytes, shown] : kIllFormed) {
    EXPECT_FALSE(is_utf8(bytes)) << shown;
    EXPECT_EQ(well_formed(bytes), shown);
  }
}

TEST(Utf8, HasAsManyCodePointsWhateverTheirBytes) {
  EXPECT_EQ(code_points(""), 0);
  EXPECT_EQ(code_points("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8C\xB1"), 4);
  EXPECT_EQ(code_points("e\xCC\x81"), 2);
}

TEST(Utf8, IsCutBetweenCodePoints) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8C\xB1";
  EXPECT_EQ(first_code_points(text, 0), "");
  EXPECT_EQ(first_code_points(text, 2), text.substr(0, 3));
  EXPECT_EQ(first_code_points(text, 3), text.substr(0, 6));
  EXPECT_EQ(first_code_points(text, 4), text);
  EXPECT_EQ(first_code_points(text, 9), text);
}

}  // namespace
}  // namespace tilth
