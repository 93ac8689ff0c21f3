#include "api/platform/cell_texts.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

TEST(CellTexts, AreReadByOtherReleases) {
  const CellTexts texts = {{0, "zero"}, {11, "{\"a\":1}"}};
  constexpr std::string_view kJson =
      R"({"cells":[{"cell":0,"text":"zero"},{"cell":11,"text":"{\"a\":1}"}]})";
  EXPECT_EQ(written(texts), kJson);
  EXPECT_EQ(read_cell_texts(kJson), texts);
  EXPECT_EQ(read_cell_texts(R"({"cells":[],"more":1})"), CellTexts());
}

TEST(CellTexts, WhatIsNoneIsNotRead) {
  for (const auto* json : {"", "[]", R"({"cells":7})", R"({"cells":[{"cell":-1,"text":"a"}]})"}) {
    EXPECT_FALSE(read_cell_texts(json)) << json;
  }
}

}  // namespace
}  // namespace tilth
