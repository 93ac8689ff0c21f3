// For any history and any memory limit, a bulk fold produces the same bytes as the projector.

#include "infra/bulk/bulk_fold.h"

#include <algorithm>

#include "events/access/erasure.h"
#include "events/library/admin_crop.h"
#include "events/log/log_end.h"
#include "events/log/streams.h"
#include "projections/fold/cell_layout.h"
#include "projections/market/country_prices.h"
#include "projections/market/market.h"
#include "projections/rows/stored_head.h"
#include "projections/rows/stored_offsets.h"
#include "tests/fixtures/busy_farm.h"
#include "tests/fixtures/finance.h"
#include "tests/fixtures/offers.h"
#include "tests/fixtures/passing_log.h"
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
  // A busy farm: rows of many kinds are added, changed and removed.
  void live(const std::string& user, int events, unsigned seed) {
    BusyFarm farm(seed, [&](const Event& event) { happened(user, event); });
    farm.live(events);
  }

  Status fold_in_bulk(const Projection& projection, const std::vector<Position>& ends,
                      const OperatorOverrides& orders = {}) {
    auto opened = RocksStore::open(directory.path(), "bulk", 1, "shape", memory);
    EXPECT_TRUE(opened);
    rebuilt = std::move(*opened);
    EXPECT_TRUE(BulkFold::may_fill(projection, *rebuilt, log));
    BulkFold fold(log, {{projection, *rebuilt, orders}}, ends, limits);
    return fold.run([] { return true; }).front();
  }
  void expect_same(const Projection& projection = registry(),
                   const OperatorOverrides& orders = {}) {
    ASSERT_TRUE(begin(store, projection));
    projector->apply_overrides(orders);
    read_all();
    const auto ends = projector->progress().next;
    const auto folded = fold_in_bulk(projection, ends, orders);
    ASSERT_TRUE(folded) << folded.error().message;
    EXPECT_EQ(Projector::checkpoint_of(*rebuilt->snapshot(), projection.partitions_of(log)), ends);
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

TEST_F(BulkFoldTest, KeepsNothingOfAnOwnerWhoWasErased) {
  live("user_1", 500, 50), live("user_2", 200, 51);
  auto asked = record("user_1", versions["user_1"]++, plant_registered());
  asked.envelope.idempotency = {"key", "hash"};
  append(log, asked);
  happened("user_1", RecordsErased{kNow});
  expect_same();
  for (const auto& [key, value] : all_of(*rebuilt->snapshot())) {
    for (const char kind : {'r', 'u', 'l', 'a', 'i', 't'}) {
      EXPECT_FALSE(key.starts_with(std::string("user_1") + '\0' + kind)) << key;
    }
  }
}

TEST_F(BulkFoldTest, KeepsNoBookOfAnOwnerWhoWasErased) {
  live("user_1", 500, 50), live("user_2", 200, 51);
  happened("user_1", spent('1', "10", "2025-03-31"), overhead('2', "7", "2025-03-31"));
  happened("user_1", RecordsErased{kNow});
  expect_same(finance());
  for (const auto& [key, value] : all_of(*rebuilt->snapshot())) {
    EXPECT_TRUE(!key.starts_with("user_1") || key == stored_head_key("user_1")) << key;
  }
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
  BulkFold fold(log, {{projection, **opened}}, projector->progress().next, limits);
  std::atomic<int> asked = 0;
  const auto ended = fold.run([&] { return ++asked < 3; }).front();
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
  EXPECT_FALSE(BulkFold::may_fill(registry(), **opened, log));
  opened->reset();
  EXPECT_EQ(RocksStore::open(directory.path(), "bulk", 1, "other", memory).error().code,
            ErrorCode::kConflict);
}

TEST_F(BulkFoldTest, GoesOnPageByPageFromWhereItEnded) {
  live("user_1", 200, 60);
  expect_same();
  const auto bulk = std::move(rebuilt);
  happened("user_1", PlantRemoved{PlantId{BusyFarm::any_uuid(1)}, kNow},
           BlockRemoved{kBlock.block_id, kNow});
  read_all();
  ASSERT_TRUE(begin(*bulk));
  read_all();
  EXPECT_TRUE(all_of(*bulk->snapshot()) == all_of(*store.snapshot()));
}

// Counts the readers of a log.
class CountedLog final : public PassingLog {
 public:
  using PassingLog::PassingLog;

  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    ++readers_;
    return PassingLog::read(from);
  }

  int readers() const { return readers_; }

 private:
  std::atomic<int> readers_ = 0;
};

class BulkFoldOfCellsTest : public BulkFoldTest {
 protected:
  static constexpr int kCells = 3;

  BulkFoldOfCellsTest() {
    for (int cell = 0; cell < kCells; ++cell) {
      cells.push_back(layout.part_of(registry(), cell));
      cells.push_back(layout.part_of(finance(), cell));
    }
    for (const auto& cell : cells) {
      stores.push_back(
          std::move(*RocksStore::open(directory.path(), cell.title(), 1, "shape", memory)));
    }
  }

  std::vector<Status> fold_together(EventLog& from) {
    std::vector<BulkFold::Target> targets;
    for (std::size_t i = 0; i < cells.size(); ++i) targets.push_back({cells[i], *stores[i]});
    BulkFold fold(from, targets, *ends_of(log), limits);
    return fold.run([] { return true; });
  }

  // A projector stores its offsets only with what it folds.
  Kept without_offsets(const RowReader& rows) const {
    auto kept = all_of(rows);
    for (int partition = 0; partition < log.partitions(); ++partition) {
      kept.erase(stored_offset({partition, 0}).first);
    }
    return kept;
  }
  void expect_same_as_page_by_page(std::size_t cell) {
    MemoryProjectionStore live;
    ASSERT_TRUE(begin(live, cells[cell]));
    read_all();
    EXPECT_TRUE(without_offsets(*live.snapshot()) == without_offsets(*stores[cell]->snapshot()))
        << cells[cell].title();
    const auto at = Projector::checkpoint_of(*stores[cell]->snapshot(), cells[cell].partitions);
    EXPECT_EQ(at, projector->progress().next);
  }

  const CellLayout layout{log, kCells};
  std::vector<Projection> cells;
  std::vector<std::unique_ptr<RocksStore>> stores;
};

TEST_F(BulkFoldOfCellsTest, FillsAllFromOneReadingOfTheLog) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    live("user_" + std::to_string(seed), 200, 70 + seed);
  }
  const AdminCropDescribed wheat{{BusyFarm::any_uuid(9)}, {.name = "Wheat"}, {}, kNow};
  happened(std::string(kReferenceStream), wheat);
  CountedLog counted(log);
  for (const auto& outcome : fold_together(counted)) EXPECT_TRUE(outcome);
  constexpr int kMostThreads = 8;
  EXPECT_LE(counted.readers(), log.partitions() + kMostThreads);  // for samples, and for all
  for (std::size_t cell = 0; cell < cells.size(); ++cell) expect_same_as_page_by_page(cell);
}

TEST_F(BulkFoldOfCellsTest, FillsTheOthersIfOneHasAnEventThatCannotBeRead) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    live("user_" + std::to_string(seed), 50, 80 + seed);
  }
  auto poison = record("user_1", versions["user_1"]++, field_registered(), "the-poison");
  poison.envelope.type = "tilth.field.enchanted";
  append(log, poison);
  const auto its = static_cast<std::size_t>(layout.cell_of("user_1"));
  const auto outcomes = fold_together(log);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (cell / 2 == its) {
      EXPECT_EQ(outcomes[cell].error().code, ErrorCode::kDamaged);
      EXPECT_TRUE(all_of(*stores[cell]->snapshot()).empty());
    } else {
      EXPECT_TRUE(outcomes[cell]);
      expect_same_as_page_by_page(cell);
    }
  }
}

TEST_F(BulkFoldOfCellsTest, ShareTheMemory) {
  limits.most_bytes = 200'000;
  for (unsigned seed = 0; seed < 6; ++seed) {
    live("user_" + std::to_string(seed), 300, 90 + seed);
  }
  for (const auto& outcome : fold_together(log)) EXPECT_TRUE(outcome);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) expect_same_as_page_by_page(cell);
}

// Farms of many owners, and what they say that crops cost.
class BulkFoldOfAllTest : public BulkFoldTest {
 protected:
  static constexpr int kOwners = 7;

  static std::string owner(int number) { return "user_" + std::to_string(number); }
  void offer(int number, std::uint64_t id, const std::string& price) {
    auto report = seen('1', farm_number(number), price, "2026-02-20", id % 3 == 0 ? kDollar : kYen);
    report.id = {BusyFarm::any_uuid(id)};
    if (id % 5 == 0) report.details.crop_name = "Rye";
    happened(owner(number), report);
  }
  void offers(std::uint64_t of_each) {
    for (int number = 1; number <= kOwners; ++number) {
      happened(owner(number), in(kJapan, farm_number(number)));
    }
    for (std::uint64_t id = 0; id < of_each * kOwners; ++id) {
      const auto number = 1 + static_cast<int>(id % kOwners);
      offer(number, id, std::to_string(id + 1));
      if (id % 11 == 0) {
        happened(owner(number), PriceReportRemoved{PriceReportId{BusyFarm::any_uuid(id)}, kNow});
      }
    }
    const std::string reference(kReferenceStream);
    happened(reference, rate("2026-02-19", kDollar, "1.25"), rate("2026-02-19", kYen, "160"));
    const AdminCropDescribed rye{{BusyFarm::any_uuid(9)}, {.name = "Rye"}, {}, kNow};
    happened(reference, rye);
    happened(owner(2), FarmRemoved{farm_number(2).farm_id, kNow});
    append(log, record(owner(3), 0, in(kJapan, farm_number(3)), "late"));
    live(owner(8), 100, 8);
  }

  // What is left to review depends on the order in which the log was read.
  static Kept aged(const RowReader& state) {
    RowBatch batch(state);
    MutableRows rows(batch, kMarketStream, 0);
    while (!age_market(rows, parsed<Timestamp>("2026-03-01T06:30:00Z"), 1'000)) {
    }
    return all_of(batch);
  }
  void expect_same_once_aged() {
    ASSERT_TRUE(begin(store, market()));
    read_all();
    const auto ends = projector->progress().next;
    const auto folded = fold_in_bulk(market(), ends);
    ASSERT_TRUE(folded) << folded.error().message;
    EXPECT_EQ(Projector::checkpoint_of(*rebuilt->snapshot(), market().partitions_of(log)), ends);
    const auto live = aged(*store.snapshot()), bulk = aged(*rebuilt->snapshot());
    EXPECT_GT(live.size(), 0U);
    EXPECT_TRUE(live == bulk);
  }
};

TEST_F(BulkFoldOfAllTest, ComesToTheSameRows) {
  offers(30);
  expect_same_once_aged();
  const auto state = rebuilt->snapshot();
  EXPECT_NE(prices_mark(Rows(*state, kMarketStream, 0), kJapan.name), "");
}

TEST_F(BulkFoldOfAllTest, ComesToTheSameRowsThatGoToDisk) {
  offers(400);
  expect_same_once_aged();
  EXPECT_GT(all_of(*rebuilt->snapshot()).size(), 10'000U);
}

TEST_F(BulkFoldOfAllTest, LeavesNothingBehindAtAnEventThatCannotBeRead) {
  offers(3);
  auto poison = record(owner(1), versions[owner(1)]++, field_registered(), "the-poison");
  poison.envelope.type = "tilth.field.enchanted";
  append(log, poison);
  EXPECT_EQ(fold_in_bulk(market(), *ends_of(log)).error().code, ErrorCode::kDamaged);
  EXPECT_TRUE(all_of(*rebuilt->snapshot()).empty());
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
