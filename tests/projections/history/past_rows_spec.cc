#include <memory>

#include "events/log/event_record.h"
#include "infra/embedded/memory_event_log.h"
#include "projections/fold/cascade.h"
#include "projections/history/past_rows.h"
#include "projections/history/stream_index.h"
#include "projections/rows/lists/ranked_index.h"
#include "projections/rows/row_keys.h"
#include "query/land/crop.h"
#include "query/work/task.h"
#include "tests/fixtures/busy_farm.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/memory_projection_store.h"
#include "tests/fixtures/records.h"

namespace tilth::testing {
namespace {

Timestamp on(const char* day) { return parsed<Timestamp>(day); }

// Keeps what does not fit into a fold's memory, and counts it.
class SpilledBytes final : public RowSpill {
 public:
  Result<std::uint64_t> append(std::string_view bytes) override {
    const auto at = all_.size();
    all_ += bytes;
    return at;
  }
  void read(std::uint64_t at, std::size_t size, std::string& bytes) const override {
    bytes.assign(all_, at, size);
  }

 private:
  std::string all_;
};

class PastSpec : public ::testing::Test {
 protected:
  PastSpec() { EXPECT_TRUE(index.open()); }

  void happened(const char* day, const Event& event, const std::string& stream = "user_1") {
    auto next = record(stream, versions[stream]++, event);
    next.envelope.time = on(day);
    append(log, std::move(next));
  }
  Result<RowView> past(const char* day, bool aged = false) {
    return fold_past(sources, "user_1", on(day), aged, [this] { return go_on; });
  }

  MemoryEventLog log{1};
  MemoryProjectionStore kept;
  StreamIndex index{log, kept};
  int scratches = 0, spills = 0;
  bool go_on = true;
  PastSources sources{log, index, registry(),
                      [this]() -> Result<std::unique_ptr<RowSpill>> {
                        ++spills;
                        return std::unique_ptr<RowSpill>(new SpilledBytes);
                      },
                      [this]() -> Result<std::unique_ptr<ProjectionStore>> {
                        ++scratches;
                        return std::unique_ptr<ProjectionStore>(new MemoryProjectionStore);
                      }};
  std::map<std::string, std::uint64_t> versions;
};

TEST_F(PastSpec, HoldsWhatHadHappenedByThen) {
  happened("2026-01-01", farm_registered());
  happened("2026-01-02", field_registered());
  happened("2026-01-03", FieldRemoved{kField.field_id, on("2026-01-03")});
  EXPECT_FALSE(find(past("2025-12-31")->rows, kFarm));
  EXPECT_TRUE(find(past("2026-01-01")->rows, kFarm)) << "including that instant";
  EXPECT_FALSE(find(past("2026-01-01T23:59:59.999Z")->rows, kField));
  EXPECT_TRUE(find(past("2026-01-02")->rows, kField));
  EXPECT_FALSE(find(past("2026-01-03")->rows, kField));
}

TEST_F(PastSpec, HoldsNothingOfOthers) {
  happened("2026-01-01", farm_registered(), "user_2");
  EXPECT_FALSE(find(past("2026-01-01")->rows, kFarm));
}

TEST_F(PastSpec, ListsWhatWasOverdueThenAndNotWhatFellDueLater) {
  happened("2026-02-01", farm_registered());
  happened("2026-02-02", task_created(kTask, {.title = "Prune", .due_date = on("2026-02-05")}));
  const auto listed = [&](const char* day) {
    const auto view = past(day, true);
    return view->rows.find(kTask.task_id)->listed_overdue;
  };
  EXPECT_FALSE(listed("2026-02-04T23:59:59Z"));
  EXPECT_TRUE(listed("2026-02-05"));
}

TEST_F(PastSpec, RefusesWhatIsLongerThanItsLimit) {
  sources.most_events = 2;
  happened("2026-01-01", farm_registered());
  happened("2026-01-02", field_registered());
  happened("2026-01-03", crop_registered());
  EXPECT_TRUE(past("2026-01-02"));
  const auto refused = past("2026-01-03");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kAsOfLimitExceeded);
}

TEST_F(PastSpec, CountsWhatAllOwnersReadAgainstTheLimit) {
  sources.most_events = 1;
  happened("2026-01-01", farm_registered());
  EXPECT_TRUE(past("2026-01-01"));
  happened("2026-01-01", farm_registered(), "reference");
  EXPECT_FALSE(past("2026-01-01"));
}

// The same history, each event folded on its own into rows and lists that are all kept.
class OneByOne {
 public:
  OneByOne(const Projection& projection, MemoryEventLog& log, Timestamp at, bool aged) {
    auto reader = std::move(*log.read({{0, 0}}));
    std::uint64_t version = 0;
    for (;;) {
      const auto page = reader->next(1'000, std::chrono::milliseconds(0));
      if (page->empty()) break;
      for (const auto& [position, record] : *page) {
        if (record->envelope.time > at) continue;
        MutableRows changed(rows, record->stream, version++);
        projection.evolve(changed, *read_event(*record));
        Cascade cascade(changed.cascade());
        while (!cascade.advance(changed, 100)) {
        }
      }
    }
    MutableRows changed(rows, "user_1", version);
    while (aged && projection.age && !projection.age(changed, at, 100)) {
    }
  }

  RowBatch rows;
};

// The part of a list's key that names the list, or the list and its order.
std::pair<std::size_t, bool> list_part(std::string_view key, std::string_view table) {
  const auto filter = std::string_view("user_1").size() + 2 + table.size() + 1 + 16;
  const auto size = static_cast<std::size_t>(static_cast<unsigned char>(key[filter + 1]) << 8 |
                                             static_cast<unsigned char>(key[filter + 2]));
  return {filter + 3 + size, key.size() > filter + 3 + size};
}

bool is_whole(std::string_view key, std::string_view table) {
  const auto filter = std::string_view("user_1").size() + 2 + table.size() + 1 + 16;
  return key[filter] == static_cast<char>(ListFilter::kAll);
}

std::string totals_of(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const auto totals = RankedTotals::take_from(bytes);
    text += std::to_string(totals.all.entries) + "-" + std::to_string(totals.nulls) + " ";
  }
  return text;
}

// Every row, and every entry of every list in every order, in both directions.
void expect_same(const RowBatch& kept, const RowReader& past) {
  std::string order;
  const auto cursor = past.cursor(), back = past.cursor();
  for (const auto& [key, value] : kept.changes()) {
    if (key.front() == '\1') continue;  // the clock's: no reader of the past sees it
    const auto parts = row_key_parts(key);
    const char kind = key[std::string_view("user_1").size() + 1];
    if (parts && kind == kListKey) {
      const auto [size, has_order] = list_part(key, parts->table);
      if (!has_order) {
        const auto totals = past.get(key);
        ASSERT_TRUE(totals) << parts->table;
        EXPECT_EQ(totals_of(*totals), totals_of(*value)) << parts->table;
        continue;
      }
      if (key[size + 1] != RankedIndex::kEntries) continue;  // a counter
      const auto in = key.substr(0, size + 2);
      if (order != in) {
        EXPECT_TRUE(order.empty() || !cursor->valid() || !cursor->key().starts_with(order));
        cursor->seek(order = in);
      }
      ASSERT_TRUE(cursor->valid()) << parts->table;
      EXPECT_EQ(cursor->key(), key);
      if (is_whole(key, parts->table)) {
        EXPECT_EQ(cursor->value(), *value);
      }
      cursor->next();
      back->seek_for_prev(key + '\xFF');
      ASSERT_TRUE(back->valid());
      EXPECT_EQ(back->key(), key);
    } else if (kind == kAgeKey) {
      back->seek(key);
      ASSERT_TRUE(back->valid());
      EXPECT_EQ(back->key(), key);
    } else {
      EXPECT_EQ(past.get(key), value);
    }
  }
}

template <class Query>
void expect_same_pages(const Rows& kept, const Rows& past, const Query& query) {
  for (std::size_t sort = 0; sort < Query::Row::kSorts.size(); ++sort) {
    for (const auto order : {Order::kAscending, Order::kDescending}) {
      const PageRequest page{.page = 2, .limit = 7, .sort = sort, .order = order};
      const auto expected = *run_query(kept, query, page), found = *run_query(past, query, page);
      ASSERT_EQ(found.total, expected.total);
      ASSERT_EQ(found.rows.size(), expected.rows.size());
      for (std::size_t i = 0; i < found.rows.size(); ++i) {
        EXPECT_EQ(found.rows[i].id, expected.rows[i].id) << "sort " << sort;
      }
    }
  }
}

// Pages of lists by one value and by several.
void expect_same_pages(const Rows& kept, const Rows& past) {
  for (const auto status : {TaskStatus::kPending, TaskStatus::kCompleted, TaskStatus::kOverdue}) {
    expect_same_pages(kept, past, ListTasks{.status = status});
    expect_same_pages(kept, past, ListTasks{.status = status, .priority = TaskPriority::kHigh});
    expect_same_pages(kept, past, ListTasks{.status = status, .due_after = kNow});
  }
  expect_same_pages(kept, past, ListTasks{.open = true});
  expect_same_pages(kept, past, ListTasks{.priority = TaskPriority::kHigh, .open = false});
  for (const auto status : {CropStatus::kPlanned, CropStatus::kGrowing}) {
    ListCrops crops;
    crops.status = status;
    expect_same_pages(kept, past, crops);
    crops.farm_id = kFarm.farm_id;
    expect_same_pages(kept, past, crops);
  }
}

class BusyPastSpec : public PastSpec {
 protected:
  BusyPastSpec() {
    BusyFarm farm(7, [this](const Event& event) {
      auto next = record("user_1", versions["user_1"]++, event);
      next.envelope.time = Timestamp{kNow.at + std::chrono::seconds(++second_)};
      append(log, std::move(next));
    });
    farm.live(3'000);
  }

  void expect_same_all_along(const Projection& projection) {
    sources.projection = projection;
    for (const int second : {0, 1, 150, 500, 777, 1'200, 2'000, 9'999}) {
      for (const bool aged : {false, true}) {
        const Timestamp at{kNow.at + std::chrono::seconds(second)};
        const OneByOne expected(projection, log, at, aged);
        const auto view = fold_past(sources, "user_1", at, aged, [] { return true; });
        ASSERT_TRUE(view) << view.error().message;
        expect_same(expected.rows, *view->state);
        if (projection.name == "registry") {
          expect_same_pages(Rows(expected.rows, "user_1", 0), view->rows);
        }
      }
    }
  }

  int second_ = 0;
};

TEST_F(BusyPastSpec, IsWhatFoldingOneByOneComesTo) {
  expect_same_all_along(registry());
  expect_same_all_along(finance());
  EXPECT_EQ(scratches + spills, 0);
}

TEST_F(BusyPastSpec, IsTheSameWhereItDoesNotFitIntoMemory) {
  sources.row_bytes_in_memory = 2'000;
  sources.keys_in_memory = 3;
  expect_same_all_along(registry());
  EXPECT_GT(spills, 0);
  EXPECT_GT(scratches, 0);
  expect_same_all_along(finance());
}

TEST_F(BusyPastSpec, EndsWhileItBuildsAList) {
  bool wanted = true;
  const auto view =
      fold_past(sources, "user_1", {kNow.at + std::chrono::days(1)}, false, [&] { return wanted; });
  ASSERT_TRUE(view);
  const auto count = [&] { return view->rows.count<Plant>(kBlock.block_id.uuid); };
  wanted = false;
  EXPECT_THROW(static_cast<void>(count()), PastNotWanted);
  wanted = true;
  EXPECT_GT(count(), 0U);
}

TEST_F(PastSpec, NamesAnEventThatItCannotRead) {
  happened("2026-01-01", farm_registered());
  auto poison = record("user_1", 1, field_registered(), "poison");
  poison.json = "{}";
  poison.envelope.type = "tilth.unknown.thing";
  append(log, std::move(poison));
  const auto refused = past("2026-03-01");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDamaged);
  EXPECT_NE(refused.error().message.find("poison"), std::string::npos);
}

TEST_F(PastSpec, PassesOverWhatOperatorsSkipped) {
  happened("2026-01-01", farm_registered());
  auto poison = record("user_1", versions["user_1"]++, field_registered(), "poison");
  poison.envelope.type = "tilth.unknown.thing";
  poison.envelope.time = on("2026-01-02");
  append(log, std::move(poison));
  happened("2026-01-03", field_registered());
  sources.overrides = [] { return OperatorOverrides{.skipped = {{0, 1, "", "", {}}}}; };
  const auto view = past("2026-03-01");
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_TRUE(find(view->rows, kField));
}

TEST_F(PastSpec, EndsWhenNoOneWaitsForIt) {
  happened("2026-01-01", farm_registered());
  go_on = false;
  EXPECT_FALSE(past("2026-01-01"));
}

}  // namespace
}  // namespace tilth::testing
