// How rows are written as CSV and as JSON lines.

#include "api/tables/export_table.h"

#include <gtest/gtest.h>

#include "events/json/json.h"

namespace tilth {
namespace {

std::string csv(const RowCells& cells) {
  std::string row;
  append_csv_row(cells, row);
  EXPECT_TRUE(row.ends_with("\r\n"));
  return row.substr(0, row.size() - 2);
}

TEST(ExportTable, NullIsNothingAndAnEmptyTextIsAPairOfQuotes) {
  EXPECT_EQ(csv({"a", std::nullopt, "", "b"}), R"(a,,"",b)");
  EXPECT_EQ(csv({std::nullopt, std::nullopt}), ",");
}

TEST(ExportTable, OnlyWhatCsvCouldMistakeIsQuoted) {
  EXPECT_EQ(csv({"12.50", "2026-03-01T06:30:00.000Z", "Ünïcödé 🌴"}),
            "12.50,2026-03-01T06:30:00.000Z,Ünïcödé 🌴");
  EXPECT_EQ(csv({"a,b"}), R"("a,b")");
  EXPECT_EQ(csv({R"(say "no")"}), R"("say ""no""")");
  EXPECT_EQ(csv({"two\nlines", "two\r\nlines", "\r"}), "\"two\nlines\",\"two\r\nlines\",\"\r\"");
  EXPECT_EQ(csv({" a", "a "}), R"(" a","a ")");
  EXPECT_EQ(csv({"\""}), R"("""")");
}

TEST(ExportTable, TextThatLooksLikeAFormulaIsNotChanged) {
  EXPECT_EQ(csv({"=1+1", "+1", "-1", "@SUM(A1)", "=HYPERLINK(\"x\")"}),
            R"x(=1+1,+1,-1,@SUM(A1),"=HYPERLINK(""x"")")x");
}

TEST(ExportTable, AHeaderNamesTheColumns) {
  std::string header;
  append_csv_header({"farms", "", {{"id", ColumnType::kUuid, ""}, {"name", {}, ""}}}, header);
  EXPECT_EQ(header, "id,name\r\n");
}

TEST(ExportTable, JsonHasATypeForEachColumnAndKeepsDecimalsExact) {
  using enum ColumnType;
  const ExportTable table{"rows",
                          "",
                          {{"text", kText, ""},
                           {"flag", kBoolean, ""},
                           {"count", kInteger, ""},
                           {"number", kNumber, ""},
                           {"amount", kDecimal, ""},
                           {"own", kJson, ""},
                           {"none", kDate, ""}}};
  std::string row;
  append_json_row(table,
                  {"a \"quoted\"\nline\x01", "true", "3", "-0.5", "123456789012345678.12345678",
                   R"({"a":[1]})", std::nullopt},
                  row);
  EXPECT_EQ(row, R"({"text":"a \"quoted\"\nline\u0001","flag":true,"count":3,"number":-0.5,)"
                 R"("amount":"123456789012345678.12345678","own":{"a":[1]},"none":null})"
                 "\n");
  EXPECT_TRUE(parse_json(row.substr(0, row.size() - 1)));
}

}  // namespace
}  // namespace tilth
