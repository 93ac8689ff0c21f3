#include "events/text.h"

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
  EXPECT_EQ(fold_case_and_accents("\xC4\xB0"), "i");  // of which the fold is i and a dot
}

TEST(FoldCaseAndAccents, KeepsOtherLettersApart) {
  EXPECT_NE(fold_case_and_accents("\xC3\xB8"), fold_case_and_accents("o"));
  EXPECT_NE(fold_case_and_accents("\xE3\x82\xA2"), fold_case_and_accents("\xE3\x81\x82"));
}

}  // namespace
}  // namespace tilth
