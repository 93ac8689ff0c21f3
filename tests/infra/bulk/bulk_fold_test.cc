// For any history and any memory limit, a bulk fold produces the same bytes as the projector.

#include "infra/bulk/bulk_fold.h"

#include <algorithm>
#include <random>
#include <set>

#include "tests/fixtures/projector_fixture.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

using Kept = std::map<std::string, std::string>;

Kept all_of(const RowReader& rows) {
  Kept kept;
  const auto cursor = rows.cursor();
  for (cursor->seek({}); cursor->valid(); cursor->next()) {
    if (cursor->key() != "\1fingerprint") kept.emplace(cursor->key(), cursor->value());
  }
  return kept;
}

class BulkFoldTest : public ProjectorFixture {
 protected:
  static Uuid any_uuid(std::uint64_t number) {
    Uuid uuid;
    std::seed_seq seed{number};
    std::mt19937 bytes(seed);
    for (auto& byte : uuid.bytes) byte = static_cast<std::uint8_t>(bytes());
    return uuid;
  }

  // A busy farm: rows of many kinds are added, changed and removed.
  void live(const std::string& user, int events, unsigned seed) {
    std::mt19937 chance(seed);
    happened(user, farm_registered(), field_registered(), crop_registered(), block_registered());
    for (int i = 0; i < events; ++i)
      live_on(user, Timestamp{kNow.at + std::chrono::minutes(i)}, chance);
  }

  void live_on(const std::string& user, Timestamp now, std::mt19937& chance) {
    const auto number = chance() % 400;
    const PlantId plant_id{any_uuid(number)};
    switch (chance() % 12) {
      case 0:
      case 1:
      case 2:
      case 3: {
        if (!there_.insert({user, number}).second) break;
        auto plant = plant_registered();
        plant.id = plant_id;
        plant.details.label = "Palm " + std::to_string(chance() % 50);
        plant.details.tag_id.reset();
        if (chance() % 2 == 0) plant.details.tag_id = "tag-" + std::to_string(number);
        plant.details.status = static_cast<PlantStatus>(chance() % 5);
        return happened(user, plant);
      }
      case 4:
      case 5: {
        PlantAmended amended{plant_id, {}, now};
        amended.changes.label.to = "Tree " + std::to_string(chance() % 50);
        amended.changes.status.to = static_cast<PlantStatus>(chance() % 5);
        return happened(user, amended);
      }
      case 6:
        there_.erase({user, number});
        return happened(user, PlantRemoved{plant_id, now});
      case 7: {
        auto task = task_created();
        task.id = {any_uuid(chance())};
        task.details.due_date = Timestamp{kNow.at + std::chrono::hours(chance() % 9)};
        if (chance() % 2 == 0) task.details.assigned_to = "Hand " + std::to_string(chance() % 3);
        task.recorded_at = now;
        tasks_[user].push_back(task.id);
        return happened(user, task);
      }
      case 8: {
        SoilSampleRecorded sample;
        sample.id = {any_uuid(chance())};
        sample.where = {kFarm.farm_id, kField.field_id};
        sample.details.sampled_at = now;
        if (chance() % 2 == 0) sample.details.ph = Decimal(static_cast<std::int64_t>(chance() % 9));
        sample.recorded_at = now;
        return happened(user, sample);
      }
      case 9: {
        ExpenseRecorded paid;
        paid.id = {any_uuid(chance())};
        paid.where = {kFarm.farm_id};
        paid.details.crop_id = kCrop.crop_id;
        paid.details.cost.amount = Decimal(static_cast<std::int64_t>(chance() % 900 + 1));
        paid.details.cost.transaction_date = *Date::parse("2026-03-01");
        paid.recorded_at = now;
        return happened(user, paid);
      }
      case 10: {
        auto& tasks = tasks_[user];
        if (tasks.empty()) break;
        return happened(user, TaskCompleted{.task_id = tasks[chance() % tasks.size()],
                                            .completed_date = now,
                                            .amended_at = now});
      }
      default:
        if (chance() % 40 == 0)
          remove(user, BlockRemoved{kBlock.block_id, now}, block_registered());
        if (chance() % 80 == 0) {
          remove(user, FarmRemoved{kFarm.farm_id, now}, farm_registered(), field_registered(),
                 crop_registered(), block_registered());
        }
    }
  }
  template <class... E>
  void remove(const std::string& user, const E&... events) {
    std::erase_if(there_, [&](const auto& plant) { return plant.first == user; });
    happened(user, events...);
  }

  Status fold_in_bulk(const Projection& projection, const std::vector<Position>& ends,
                      const OperatorOverrides& orders = {}) {
    auto opened = RocksStore::open(directory.path(), "bulk", 1, "shape", memory);
    EXPECT_TRUE(opened);
    rebuilt = std::move(*opened);
    EXPECT_TRUE(BulkFold::may_fill(projection, *rebuilt, log.partitions()));
    BulkFold fold(log, projection, orders, ends, limits);
    return fold.run(*rebuilt, [] { return true; });
  }
  void expect_same(const Projection& projection = registry(),
                   const OperatorOverrides& orders = {}) {
    ASSERT_TRUE(begin(store, projection));
    projector->apply_overrides(orders);
    read_all();
    const auto ends = projector->progress().next;
    const auto folded = fold_in_bulk(projection, ends, orders);
    ASSERT_TRUE(folded) << folded.error().message;
    EXPECT_EQ(Projector::checkpoint_of(*rebuilt->snapshot(), log.partitions()), ends);
    const Kept live = all_of(*store.snapshot()), bulk = all_of(*rebuilt->snapshot());
    EXPECT_EQ(live.size(), bulk.size());
    EXPECT_TRUE(live == bulk);
    const auto differ = std::mismatch(live.begin(), live.end(), bulk.begin(), bulk.end());
    if (differ.first != live.end()) {
      ADD_FAILURE() << "the first difference: " << ::testing::PrintToString(*differ.first)
                    << (differ.second == bulk.end()
                            ? ""
                            : " against " + ::testing::PrintToString(*differ.second));
    }
  }

  const TemporaryDirectory directory{TemporaryDirectory::memory()};
  const RocksMemory memory{1 << 20, 1 << 20};
  BulkFold::Limits limits{.records_of_a_bucket = 300};
  std::unique_ptr<RocksStore> rebuilt;
  std::set<std::pair<std::string, std::uint64_t>> there_;
  std::map<std::string, std::vector<TaskId>> tasks_;
};

TEST_F(BulkFoldTest, ComesToTheSameBytes) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    live("user_" + std::to_string(seed), 300 + 100 * static_cast<int>(seed), seed);
  }
  expect_same();
}

TEST_F(BulkFoldTest, ComesToTheSameBytesWithMoreThanFitsIntoMemory) {
  limits.most_bytes = 100'000;
  for (unsigned seed = 10; seed < 14; ++seed) {
    live("user_" + std::to_string(seed), 600, seed);
  }
  expect_same();
}

TEST_F(BulkFoldTest, ComesToTheSameSums) {
  for (unsigned seed = 20; seed < 23; ++seed) live("user_" + std::to_string(seed), 400, seed);
  expect_same(finance());
}

TEST_F(BulkFoldTest, RemembersWhatRequestsWereTold) {
  live("user_1", 20, 30);
  for (int i = 0; i < 30; ++i) {
    auto asked = record("user_1", versions["user_1"]++, farm_registered());
    asked.envelope.idempotency = {"key-" + std::to_string(i % 12), "hash"};
    asked.envelope.time.at += std::chrono::hours(5 * i);
    append(log, asked);
  }
  expect_same();
}

TEST_F(BulkFoldTest, CountsNoRecordThatWasDecidedOnAnotherVersion) {
  happened("user_1", farm_registered());
  append(log, record("user_1", 0, farm_registered(kFarm, "Late"), "late"));
  append(log, record("user_2", 3, farm_registered(kFarm, "Early"), "early"));
  happened("user_1", field_registered());
  expect_same();
}

TEST_F(BulkFoldTest, PassesOverWhatItIsToldTo) {
  happened("user_1", farm_registered());
  auto poison = record("user_1", versions["user_1"]++, field_registered(), "the-poison");
  poison.envelope.type = "tilth.field.enchanted";
  append(log, poison);
  happened("user_1", field_registered());
  const int partition = log.partition_of("user_1");
  expect_same(registry(), {.skipped = {{partition, 1, "the-poison", "", {}}}});
}

TEST_F(BulkFoldTest, LeavesNothingBehindAtAnEventThatCannotBeRead) {
  happened("user_1", farm_registered());
  auto poison = record("user_1", versions["user_1"]++, field_registered(), "the-poison");
  poison.envelope.type = "tilth.field.enchanted";
  append(log, poison);
  std::vector<Position> ends;
  for (int each = 0; each < log.partitions(); ++each) {
    ends.push_back({each, each == log.partition_of("user_1") ? 2 : 0});
  }
  const auto folded = fold_in_bulk(registry(), ends);
  ASSERT_FALSE(folded);
  EXPECT_EQ(folded.error().code, ErrorCode::kDamaged);
  EXPECT_TRUE(all_of(*rebuilt->snapshot()).empty());
  EXPECT_FALSE(std::filesystem::exists(rebuilt->bulk_path()));
}

TEST_F(BulkFoldTest, EndsWhenItIsToldTo) {
  live("user_1", 3'000, 40);
  ASSERT_TRUE(begin());
  read_all();
  auto opened = RocksStore::open(directory.path(), "bulk", 1, "shape", memory);
  const auto projection = registry();
  BulkFold fold(log, projection, {}, projector->progress().next, limits);
  std::atomic<int> asked = 0;
  const auto ended = fold.run(**opened, [&] { return ++asked < 3; });
  EXPECT_EQ(ended.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(all_of(*(*opened)->snapshot()).empty());
}

TEST_F(BulkFoldTest, WhatItFilledIsThereAfterARestartAndIsNotFilledAgain) {
  live("user_1", 100, 50);
  expect_same();
  const auto kept = all_of(*rebuilt->snapshot());
  rebuilt.reset();
  auto opened = RocksStore::open(directory.path(), "bulk", 1, "shape", memory);
  ASSERT_TRUE(opened);
  EXPECT_TRUE(all_of((*opened)->newest()) == kept);
  EXPECT_FALSE(BulkFold::may_fill(registry(), **opened, log.partitions()));
  opened->reset();
  EXPECT_EQ(RocksStore::open(directory.path(), "bulk", 1, "other", memory).error().code,
            ErrorCode::kConflict);
}

TEST_F(BulkFoldTest, GoesOnPageByPageFromWhereItEnded) {
  live("user_1", 200, 60);
  expect_same();
  const auto bulk = std::move(rebuilt);
  happened("user_1", PlantRemoved{PlantId{any_uuid(1)}, kNow}, BlockRemoved{kBlock.block_id, kNow});
  read_all();
  ASSERT_TRUE(begin(*bulk));
  read_all();
  EXPECT_TRUE(all_of(*bulk->snapshot()) == all_of(*store.snapshot()));
}

TEST_F(BulkFoldTest, DoesNotFoldWhatOthersChangeToo) {
  auto opened = RocksStore::open(directory.path(), "bulk", 1, "shape", memory);
  auto of_all = registry();
  of_all.of_all = "market";
  EXPECT_FALSE(BulkFold::may_fill(of_all, **opened, log.partitions()));
}

TEST(StreamRangesTest, AreAsManyAsThereAreStreamsAtMostAndInTheOrderOfTheirNames) {
  const StreamRanges ranges({"d", "b", "b", "b", "a", "c", "e", "f"}, 4);
  EXPECT_EQ(ranges.size(), 4U);
  std::size_t before = 0;
  for (const auto* stream : {"", "a", "b", "bb", "c", "d", "e", "f", "z"}) {
    EXPECT_LE(before, ranges.of(stream));
    before = ranges.of(stream);
  }
  EXPECT_EQ(StreamRanges({"one", "one", "one"}, 16).size(), 2U);
  EXPECT_EQ(StreamRanges({}, 16).size(), 1U);
}

}  // namespace
}  // namespace tilth::testing
