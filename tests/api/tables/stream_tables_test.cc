// Rows of tables from the lines of a history.

#include "api/tables/stream_tables.h"

#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/log/streams.h"

namespace tilth {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto* kFarm = "01a1fd7b-0000-7000-8000-000000000001";
constexpr auto* kField = "01a1fd7b-0000-7000-8000-000000000002";
constexpr auto* kCrop = "01a1fd7b-0000-7000-8000-000000000003";
constexpr auto* kOther = "01a1fd7b-0000-7000-8000-000000000004";

Timestamp at(std::string_view text) { return *Timestamp::parse(text); }

class StreamTablesTest : public ::testing::Test {
 protected:
  using Row = std::map<std::string, std::string>;  // without what is null

  StreamTables stream(std::string name, const StreamTables* reference = nullptr) {
    return {std::move(name), scope_,
            [this](const ExportTable& table, const RowCells& cells) -> Status {
              if (cells.size() != table.columns.size()) ADD_FAILURE() << table.name;
              auto& row = rows_[table.name].emplace_back();
              for (std::size_t i = 0; i < cells.size(); ++i) {
                if (cells[i]) row[table.columns[i].name] = *cells[i];
              }
              return kDone;
            },
            []() -> Result<std::unique_ptr<RowSpill>> {
              return Error{ErrorCode::kUnavailable, "There is no disk."};
            },
            reference};
  }

  std::string line(const std::string& type, const std::string& time, const std::string& data,
                   int version = 1) {
    const auto number = std::to_string(offset_++);
    return R"({"specversion":"1.0","id":"01a1fd7b-5b6c-7929-b008-0235b1618592","type":"tilth.)" +
           type + R"(","subject":"user_a","time":")" + time + R"(","streamversion":)" + number +
           R"(,"schemaversion":)" + std::to_string(version) + R"(,"actor":"key_a","data":)" + data +
           R"(,"partition":0,"offset":)" + number + "}";
  }

  void take(StreamTables& tables, const std::string& of_line, bool more = true) {
    const auto taken = tables.take(of_line);
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_EQ(*taken, more);
  }

  std::string farm(const std::string& id, const std::string& name) {
    return line("farm.registered", "2026-03-01T06:00:00.000Z",
                R"({"farmId":")" + id + R"(","name":")" + name +
                    R"(","totalArea":"10","areaUnit":"acre","currency":"USD",)"
                    R"("registeredAt":"2026-03-01T06:00:00.000Z"})");
  }
  std::string field() {
    return line("field.registered", "2026-03-01T06:00:00.000Z",
                std::string(R"({"fieldId":")") + kField + R"(","farmId":")" + kFarm +
                    R"(","name":"North","area":"1","registeredAt":"2026-03-01T06:00:00.000Z"})");
  }
  std::string crop() {
    return line("crop.registered", "2026-03-01T06:00:00.000Z",
                std::string(R"({"cropId":")") + kCrop + R"(","farmId":")" + kFarm +
                    R"(","fieldId":")" + kField +
                    R"(","cropType":"Maize","area":"2","actualYield":"100","yieldUnit":"lb",)"
                    R"("registeredAt":"2026-03-01T06:00:00.000Z"})");
  }
  std::string expense(const std::string& currency, const std::string& day) {
    return line("expense.recorded", "2026-03-01T07:00:00.000Z",
                R"({"expenseId":"01a1fd7b-0000-7000-8000-0000000001)" +
                    std::to_string(offset_ + 10) + R"(","farmId":")" + kFarm + R"(","cropId":")" +
                    kCrop + R"(","amount":"100","currency":")" + currency +
                    R"(","category":"seeds","transactionDate":")" + day +
                    R"(","recordedAt":"2026-03-01T07:00:00.000Z"})");
  }

  std::vector<std::string> column(const std::string& table, const std::string& name) {
    std::vector<std::string> values;
    for (auto& row : rows_[table]) values.push_back(row.contains(name) ? row[name] : "null");
    return values;
  }

  TableScope scope_{.now = at("2026-03-05T00:00:00Z")};
  std::map<std::string, std::vector<Row>> rows_;
  int offset_ = 0;
};

TEST_F(StreamTablesTest, ARecordNamesWhatItBelongsToAndIsConverted) {
  auto tables = stream("user_a");
  for (const auto& each : {farm(kFarm, "Ours"), field(), crop()}) take(tables, each);
  EXPECT_THAT(rows_["crops"], IsEmpty());
  ASSERT_TRUE(tables.finish());
  ASSERT_EQ(rows_["crops"].size(), 1U);
  auto& row = rows_["crops"][0];
  EXPECT_EQ(row["owner"], "user_a");
  EXPECT_EQ(row["farmName"] + "/" + row["fieldName"], "Ours/North");
  EXPECT_EQ(row["area"] + " " + row["areaUnit"] + " " + row["areaHectares"],
            "2 acre 0.80937128448");
  EXPECT_EQ(row["actualYieldKilograms"], "45.359237");
  EXPECT_FALSE(row.contains("removedAt"));
  EXPECT_FALSE(row.contains("expectedYieldKilograms"));
}

TEST_F(StreamTablesTest, AnAmendmentOfTheFarmIsSeenInWhatBelongsToIt) {
  auto tables = stream("user_a");
  for (const auto& each : {farm(kFarm, "Ours"), field()}) take(tables, each);
  take(tables, line("farm.amended", "2026-03-02T06:00:00.000Z",
                    std::string(R"({"farmId":")") + kFarm +
                        R"(","name":"Theirs","areaUnit":"hectare","description":null,)"
                        R"("amendedAt":"2026-03-02T06:00:00.000Z"})"));
  ASSERT_TRUE(tables.finish());
  EXPECT_THAT(column("fields", "farmName"), ElementsAre("Theirs"));
  EXPECT_THAT(column("fields", "areaHectares"), ElementsAre("1"));
  EXPECT_THAT(column("event_farm_amended", "saidMembers"),
              ElementsAre("farmId name areaUnit description amendedAt"));
}

TEST_F(StreamTablesTest, WhatWasRemovedWithItsFarmIsMarkedAndStillNamesIt) {
  auto tables = stream("user_a");
  for (const auto& each : {farm(kFarm, "Ours"), field(), crop(), farm(kOther, "Other")}) {
    take(tables, each);
  }
  take(tables, line("farm.removed", "2026-03-03T06:00:00.000Z",
                    std::string(R"({"farmId":")") + kFarm +
                        R"(","removedAt":"2026-03-03T06:00:00.000Z"})"));
  ASSERT_TRUE(tables.finish());
  EXPECT_THAT(column("farms", "name"), ElementsAre("Ours", "Other"));
  EXPECT_THAT(column("farms", "removedAt"), ElementsAre("2026-03-03T06:00:00.000Z", "null"));
  EXPECT_THAT(column("crops", "removedAt"), ElementsAre("2026-03-03T06:00:00.000Z"));
  EXPECT_THAT(column("crops", "farmName"), ElementsAre("Ours"));
  EXPECT_THAT(column("crops", "fieldName"), ElementsAre("North"));
  EXPECT_THAT(column("crops", "areaHectares"), ElementsAre("0.80937128448"));
}

TEST_F(StreamTablesTest, AmountsAreConvertedByTheLastRateOnOrBeforeTheirDay) {
  auto reference = stream(std::string(kReferenceStream));
  take(reference,
       line("exchange_rate.imported", "2026-03-01T00:00:00.000Z",
            R"({"source":"ECB","days":[{"day":"2026-01-02","rates":[)"
            R"({"currency":"USD","perEuro":"1.25"},{"currency":"JPY","perEuro":"160"}]},)"
            R"({"day":"2026-02-02","rates":[{"currency":"USD","perEuro":"1.5"}]}],)"
            R"("changed":3,"importedAt":"2026-03-01T00:00:00.000Z"})"));
  ASSERT_TRUE(reference.finish());
  EXPECT_THAT(column("exchange_rates", "currency"), ElementsAre("JPY", "USD", "USD"));
  EXPECT_THAT(column("exchange_rates", "perEuro"), ElementsAre("160", "1.25", "1.5"));
  auto tables = stream("user_a", &reference);
  for (const auto& each : {farm(kFarm, "Ours"), field(), crop()}) take(tables, each);
  for (const auto& [currency, day] :
       std::vector<std::pair<std::string, std::string>>{{"USD", "2020-01-01"},
                                                        {"EUR", "2026-02-01"},
                                                        {"EUR", "2026-02-02"},
                                                        {"JPY", "2026-02-03"},
                                                        {"EUR", "2026-01-01"},
                                                        {"NOK", "2026-02-02"}}) {
    take(tables, expense(currency, day));
  }
  ASSERT_TRUE(tables.finish());
  EXPECT_THAT(column("expenses", "amountUsd"),
              ElementsAre("100", "125", "150", "0.9375", "null", "null"));
}

TEST_F(StreamTablesTest, ATaskThatWasDueIsOverdueAtThatTime) {
  const auto task = [&] {
    return line("task.created", "2026-03-01T06:00:00.000Z",
                std::string(R"({"taskId":")") + kOther + R"(","farmId":")" + kFarm +
                    R"(","title":"Prune","category":"other","dueDate":"2026-03-04T00:00:00.000Z",)"
                    R"("createdAt":"2026-03-01T06:00:00.000Z"})");
  };
  for (const auto* now : {"2026-03-03T00:00:00Z", "2026-03-05T00:00:00Z"}) {
    scope_.now = at(now);
    auto tables = stream("user_a");
    for (const auto& each : {farm(kFarm, "Ours"), task()}) take(tables, each);
    ASSERT_TRUE(tables.finish());
  }
  EXPECT_THAT(column("tasks", "status"), ElementsAre("pending", "overdue"));
}

TEST_F(StreamTablesTest, NothingAfterTheTimeOrTheEndIsTaken) {
  scope_.until = at("2026-03-01T06:30:00Z");
  auto until = stream("user_a");
  take(until, farm(kFarm, "Ours"));
  take(until, expense("USD", "2026-03-01"), false);
  EXPECT_THAT(rows_["event_expense_recorded"], IsEmpty());
  scope_.until.reset();
  scope_.ends[0] = offset_ + 1;
  auto end = stream("user_a");
  take(end, farm(kFarm, "Ours"));
  take(end, farm(kOther, "Later"), false);
  EXPECT_EQ(rows_["event_farm_registered"].size(), 2U);
}

TEST_F(StreamTablesTest, AnEventThatIsNotKnownStopsItUnlessAnOperatorSkipsIt) {
  auto tables = stream("user_a");
  const auto taken = tables.take(line("farm.sold", "2026-03-01T06:00:00.000Z", "{}"));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kDamaged);
  EXPECT_FALSE(tables.take("{}"));
  EXPECT_FALSE(tables.take("no JSON"));
  scope_.skipped.emplace(0, offset_);
  take(tables, line("farm.sold", "2026-03-01T06:00:00.000Z", "{}"));
  scope_.skipped.emplace(0, offset_);
  take(tables, farm(kFarm, "Skipped"));
  ASSERT_TRUE(tables.finish());
  EXPECT_THAT(rows_["farms"], IsEmpty());
  EXPECT_EQ(rows_["event_farm_registered"].size(), 1U);
}

TEST_F(StreamTablesTest, UsersHaveNoHashesAndAnOwnerSeesOnlyTheirOwn) {
  const auto user = [&](const std::string& id) {
    return line("user.registered", "2026-03-01T06:00:00.000Z",
                R"({"userId":")" + id + R"(","email":")" + id +
                    R"(@example.com","name":null,"plan":"seed","passwordHash":"$argon2id$x",)"
                    R"("registeredAt":"2026-03-01T06:00:00.000Z"})");
  };
  const std::string one = "user_69v9-QFtq2nToa9X1wGs6", other = "user_VeqFUB7maGAAz_szUFgmW";
  auto all = stream(std::string(kAccessStream));
  for (const auto& id : {one, other}) take(all, user(id));
  ASSERT_TRUE(all.finish());
  EXPECT_THAT(all.user_ids(), ElementsAre(one, other));
  EXPECT_THAT(column("users", "owner"), ElementsAre(one, other));
  EXPECT_EQ(rows_["event_user_registered"].size(), 2U);
  for (const auto& [table, rows] : rows_) {
    for (const auto& row : rows) {
      for (const auto& [name, value] : row) EXPECT_EQ(value.find("argon"), value.npos) << name;
    }
  }
  take(all,
       line("user.erased", "2026-03-02T06:00:00.000Z",
            R"({"userId":")" + one + R"(","reason":null,"erasedAt":"2026-03-02T06:00:00.000Z"})"));
  EXPECT_THAT(all.user_ids(), ElementsAre(one, other)) << "the history of the erased one is there";
  rows_.clear();
  scope_.owner = other;
  auto owned = stream(std::string(kAccessStream));
  for (const auto& id : {one, other}) take(owned, user(id));
  ASSERT_TRUE(owned.finish());
  EXPECT_THAT(column("users", "owner"), ElementsAre(other));
  EXPECT_THAT(rows_["event_user_registered"], IsEmpty());
}

}  // namespace
}  // namespace tilth
