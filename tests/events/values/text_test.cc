#include "events/values/text.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

TEST(FoldCaseAndAccents, FindsTheSameLettersWhateverTheirCaseAndMarks) {
  const auto acai = fold_case_and_accents("acai");
  for (const auto* spelled : {"A\xC3\xA7"
                              "a\xC3\xAD",
                              "AC\xCC\xA7"
                              "AI\xCC\x81",
                              "ACAI"}) {
    EXPECT_EQ(fold_case_and_accents(spelled), acai) << spelled;
  }
  EXPECT_EQ(fold_case_and_accents("Stra\xC3\x9F"
                                  "e"),
            "strasse");
  EXPECT_EQ(fold_case_and_accents("\xC4\xB0"), "i");  // its fold is i and a dot
}

TEST(FoldCaseAndAccents, KeepsOtherLettersApart) {
  EXPECT_NE(fold_case_and_accents("\xC3\xB8"), fold_case_and_accents("o"));
  EXPECT_NE(fold_case_and_accents("\xE3\x82\xA2"), fold_case_and_accents("\xE3\x81\x82"));
}

TEST(Trimmed, IsWithoutWhiteSpaceAround) {
  EXPECT_EQ(trimmed(" \t Date  palm\n"), "Date  palm");
  EXPECT_EQ(trimmed("\xC2\xA0 x \xE3\x80\x80"), "x");  // no-break and ideographic spaces
  EXPECT_EQ(trimmed("   "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Tidied, IsOneSpellingOfMany) {
  EXPECT_EQ(tidied("  DATE \t\n  palm "), "Date palm");
  EXPECT_EQ(tidied("\xC3\x89PINARD"), "\xC3\x89pinard");
  EXPECT_EQ(tidied("2-Row barley"), "2-row barley");
  EXPECT_EQ(tidied("\xC3\x9F"), "SS");
  EXPECT_EQ(tidied(" "), "");
}

}  // namespace
}  // namespace tilth
