// Every kind of record and type of event has a table, and every column is described.

#include "api/tables/table_catalogue.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/tables/event_table.h"
#include "api/tables/record_table.h"
#include "events/json/json.h"
#include "events/log/catalogue.h"
#include "projections/fold/row_list.h"
#include "projections/fold/row_type.h"

namespace tilth {
namespace {

TEST(TableCatalogue, EveryKindOfRecordHasATable) {
  std::set<std::string_view> without;
  for (const auto* projection : {"registry", "access"}) {
    for (const auto& resource : rows_of(projection)) {
      for (const auto& type : resource.rows) {
        if (find_record_table(type.table) == nullptr) without.insert(type.table);
      }
    }
  }
  // What a provider knows a person by, counts that follow from event_ai_request_reported, who
  // operates the service and what they did (event_operator_…, event_audit_recorded), who was erased
  // (event_user_erased), and what the clock has to do for rules.
  EXPECT_THAT(without, ::testing::ElementsAre("ai_use", "audit_entry", "erased_user", "identity",
                                              "operator", "rule_tasks", "rules_to_visit"));
}

TEST(TableCatalogue, EveryTypeOfEventHasATable) {
  for (const auto& codec : event_codecs()) {
    const auto* table = find_event_table(codec.type->name);
    ASSERT_NE(table, nullptr) << codec.type->name;
    EXPECT_EQ(table->version, codec.type->version);
  }
}

TEST(TableCatalogue, TablesAndColumnsHaveNamesOfTheirOwnAndMeanings) {
  std::set<std::string> names;
  for (const auto* table : all_tables()) {
    EXPECT_TRUE(names.insert(table->name).second) << table->name;
    EXPECT_TRUE(table->meaning.ends_with('.')) << table->name;
    std::set<std::string> columns;
    for (const auto& column : table->columns) {
      // DuckDB and spreadsheets do not tell upper from lower case.
      std::string folded = column.name;
      for (auto& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      EXPECT_TRUE(columns.insert(folded).second) << table->name << "." << column.name;
      EXPECT_TRUE(column.meaning.ends_with('.') || column.meaning.ends_with(']'))
          << table->name << "." << column.name << ": " << column.meaning;
    }
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"farms", "varieties", "user_crops", "api_keys",
                                              "exchange_rates", "event_soil_sample_recorded"}));
}

TEST(TableCatalogue, NumbersInAUnitSayWhich) {
  const auto unit = [](std::string_view rows, std::string_view column) {
    const auto& table = find_record_table(rows)->table;
    return table.columns.at(*table.find(column)).unit;
  };
  EXPECT_EQ(unit("farm", "totalArea"), "as areaUnit");
  EXPECT_EQ(unit("field", "area"), "as areaUnit");
  EXPECT_EQ(unit("field", "areaHectares"), "ha");
  EXPECT_EQ(unit("sale", "quantityKilograms"), "kg");
  EXPECT_EQ(unit("expense", "amount"), "as currency");
  EXPECT_EQ(unit("expense", "amountUsd"), "USD");
  EXPECT_EQ(unit("fertigation", "amount"), "as unit");
  EXPECT_EQ(unit("irrigation", "waterVolumeCubicMeters"), "m³");
}

TEST(TableCatalogue, NoColumnIsASecret) {
  for (const auto* table : all_tables()) {
    for (const auto* secret : {"passwordHash", "keyDigest", "key", "secret"}) {
      EXPECT_FALSE(table->find(secret)) << table->name << "." << secret;
    }
  }
}

TEST(TableCatalogue, AJoinedNameDoesNotHideWhatWasTyped) {
  const auto& tasks = find_record_table("task")->table;
  EXPECT_TRUE(tasks.find("farmName"));
  EXPECT_LT(*tasks.find("fieldName"), *tasks.find("linkedFieldName"));
}

TEST(TableCatalogue, ItIsDescribedForPrograms) {
  const auto json = parse_json(tables_json("\"format\":\"csv\", "));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->find("format")->text, "csv");
  EXPECT_EQ(json->find("tables")->children.size(), all_tables().size());
}

TEST(TableCatalogue, ThePageIsUpToDate) {
  std::ifstream page("docs/tables.md");
  std::ostringstream text;
  text << page.rdbuf();
  EXPECT_TRUE(text.str() == tables_markdown())
      << "docs/tables.md is made with: tilth tables describe > docs/tables.md";
}

}  // namespace
}  // namespace tilth
